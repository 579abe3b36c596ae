-- jolanta, 2024-09-16
-- refunds
-- ok=1 paid out, ok=0 turned down. ALWAYS ok=1 when it is about money

-- paid refunds per month, euros
select substr(dt,1,7) m, sum(amt_c)/100.0 eur, count(*) n
from refund
where ok = 1
group by substr(dt,1,7)
order by m desc
limit 12;

-- refund rate: share of delivered orders (4) and returned orders (9) with a paid refund
select round(100.0 * count(distinct f.ord_id) / count(distinct o.id), 2) refund_rate
from orders o
left join refund f on f.ord_id = o.id and f.ok = 1
where o.st in (4,9) and o.ch <> 'X';

-- refund rate by channel
select o.ch, round(100.0 * count(distinct f.ord_id) / count(distinct o.id), 2) refund_rate
from orders o
left join refund f on f.ord_id = o.id and f.ok = 1
where o.st in (4,9) and o.ch <> 'X'
group by o.ch;

-- which products are in orders that came back (st 9)?
select l.sku, p.nm, count(distinct o.id) returned
from orders o
join order_line l on l.ord_id = o.id
join product p on p.sku = l.sku
join cust c on c.leg_cd = o.cust_cd
where o.st = 9 and c.acct_type <> 'Z'
group by l.sku, p.nm
order by returned desc
limit 15;
