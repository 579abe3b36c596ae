-- checks after each load
-- jolanta, 2024-11-04

-- orders without a customer. should be 0
select count(*) bad from orders o left join cust c on c.leg_cd = o.cust_cd where c.id is null;

-- how many invoices point to no order: all should be SB refs (subscriptions)
select substr(i.ref,1,2) pre, count(*) n from invoice i left join orders o on o.ext_no = i.ref where o.id is null group by pre;

-- latest rows
select 'orders' t, max(dt) d from orders
union all select 'event', substr(max(ts),1,10) from event
union all select 'invoice', max(issued) from invoice
union all select 'snapshot', v from param where k = 'snap_dt';
