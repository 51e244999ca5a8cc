== one DISTINCT argument
SELECT a, count(DISTINCT b) AS x FROM t GROUP BY a;
--
Project [a, count(DISTINCT b) AS x]
  Project [a, count(DISTINCT b)]
    Aggregate by [a] [count(b) AS count(DISTINCT b)]
      Aggregate by [a, b]
        Scan t [a, b, c, n]

== others travel as partial results
SELECT a, count(DISTINCT b) AS x, count(*) AS y, max(n) AS z FROM t GROUP BY a;
--
Project [a, count(DISTINCT b) AS x, count_star() AS y, max(n) AS z]
  Project [a, count(DISTINCT b), coalesce(CAST(count_star() AS BIGINT), 0) AS count_star(), max(n)]
    Aggregate by [a] [count(b) AS count(DISTINCT b), sum(count_star()) AS count_star(), max(max(n)) AS max(n)]
      Aggregate by [a, b] [count(*) AS count_star(), max(n) AS max(n)]
        Scan t [a, b, c, n]

== several DISTINCT arguments are joined
SELECT a, count(DISTINCT b) AS x, sum(DISTINCT n) AS y FROM t GROUP BY a;
--
Project [a, count(DISTINCT b) AS x, sum(DISTINCT n) AS y]
  Project [a, count(DISTINCT b), sum(DISTINCT n)]
    InnerJoin on a IS NOT DISTINCT FROM a
      Project [a, count(DISTINCT b)]
        Aggregate by [a] [count(b) AS count(DISTINCT b)]
          Aggregate by [a, b]
            Scan t [a, b, c, n]
      Project [a, sum(DISTINCT n)]
        Aggregate by [a] [sum(n) AS sum(DISTINCT n)]
          Aggregate by [a, n]
            Scan t [a, b, c, n]

== DISTINCT changes nothing for min
SELECT min(DISTINCT a) AS x FROM t;
--
Project [min(DISTINCT a) AS x]
  Aggregate [min(a) AS min(DISTINCT a)]
    Scan t [a, b, c, n]

== what has no partial results is joined
SELECT count(DISTINCT b) AS x, stddev(a) AS y FROM t;
--
Project [count(DISTINCT b) AS x, stddev(a) AS y]
  Project [count(DISTINCT b), stddev(a)]
    CrossJoin
      Aggregate [stddev_samp(CAST(a AS DOUBLE)) AS stddev(a)]
        Scan t [a, b, c, n]
      Project [count(DISTINCT b)]
        Aggregate [count(b) AS count(DISTINCT b)]
          Aggregate by [b]
            Scan t [a, b, c, n]
