-- Report "Net revenue by channel", the tool fills in the dates
-- Marta Lindqvist 2024-10-22
select o.ch, round(sum(o.gross_c - coalesce(f.amt_c, 0)) / 100.0, 2) as net_revenue
from orders o
join cust c on c.leg_cd = o.cust_cd
left join (select ord_id, sum(amt_c) as amt_c from refund where ok = 1 group by ord_id) f on f.ord_id = o.id
where o.st <> 7
  and c.acct_type <> 'Z'
  and o.dt >= :from_dt and o.dt < :to_dt
group by o.ch
order by net_revenue desc;

-- Report "Orders of one customer"
select o.ext_no, o.dt, o.st, o.gross_c / 100.0 as eur
from orders o
join cust c on c.leg_cd = o.cust_cd
where c.id = :cust_id
order by o.dt desc;
