select st, count(*) from orders where dt >= '2025-06-01' group by st;

select c.nm, count(*) n from orders o, cust c where c.leg_cd=o.cust_cd and o.st=7 and c.acct_type<>'Z' group by c.id order by n desc limit 10;

select i.ref, i.issued, o.ship_dt from invoice i, orders o where o.ext_no = i.ref and o.ship_dt > i.issued and i.issued >= '2025-06-15';

select st, count(*) from orders where dt >= '2025-06-01' group by st;
