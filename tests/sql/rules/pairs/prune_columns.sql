== what is not read
SELECT a FROM t WHERE b = 1 ORDER BY n;
--
Project [a]
  Sort n
    Filter b = 1
      Scan t [a, b, n]

== a count reads no column
SELECT count(*) AS x FROM t;
--
Project [count_star() AS x]
  Aggregate [count(*) AS count_star()]
    Scan t []

== aggregates that nothing reads
SELECT x FROM (SELECT a, sum(b) AS x, max(n) AS y FROM t GROUP BY a);
--
Project [x]
  Aggregate by [a] [sum(b) AS sum(b)]
    Scan t [a, b]
