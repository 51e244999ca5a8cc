== into the sides of a join, and equalities become its keys
SELECT t.b FROM t, u WHERE t.a = u.a AND t.b > 1 AND u.d < 5 AND t.b < u.d;
--
Project [b]
  InnerJoin on a = a AND b < d
    Filter b > 1
      Scan t [a, b, c, n]
    Filter d < 5
      Scan u [a, d]

== without an equality the product stays
SELECT t.b FROM t, u WHERE t.b < u.d;
--
Project [b]
  Filter b < d
    CrossJoin
      Scan t [a, b, c, n]
      Scan u [a, d]

== the kept side of an outer join
SELECT t.b FROM t LEFT JOIN u ON t.a = u.a AND u.d > 1 AND t.b = 3 WHERE t.b > 4 AND u.d IS NULL;
--
Project [b]
  Filter d IS NULL
    LeftJoin on a = a AND b = 3
      Filter b > 4
        Scan t [a, b, c, n]
      Filter d > 1
        Scan u [a, d]

== through a derived table and a group by
SELECT k, s FROM (SELECT a AS k, sum(b) AS s FROM t GROUP BY a) WHERE k = 1 AND s > 2;
--
Project [k, s]
  Project [a AS k, sum(b) AS s]
    Filter sum(b) > 2
      Aggregate by [a] [sum(b) AS sum(b)]
        Filter a = 1
          Scan t [a, b, c, n]

== never below a limit
SELECT a FROM (SELECT a FROM t LIMIT 3) WHERE a = 1;
--
Project [a]
  Filter a = 1
    Limit 3
      Project [a]
        Scan t [a, b, c, n]

== what can raise stays above the join
SELECT t.b FROM t, u WHERE t.a = u.a AND 10 // t.b > 1 AND t.b <> 0;
--
Project [b]
  Filter 10 // b > 1
    InnerJoin on a = a
      Filter b <> 0
        Scan t [a, b, c, n]
      Scan u [a, d]

== a term on what can raise stays above it
SELECT x FROM (SELECT 10 // b AS x, b FROM t) WHERE x = 2 AND b > 0;
--
Project [x]
  Filter x = 2
    Project [10 // b AS x, b]
      Filter b > 0
        Scan t [a, b, c, n]

== a constant condition of an aggregate without groups
SELECT s FROM (SELECT sum(a) AS s FROM t) WHERE s > 1;
--
Project [s]
  Project [sum(a) AS s]
    Filter sum(a) > 1
      Aggregate [sum(a) AS sum(a)]
        Scan t [a, b, c, n]
