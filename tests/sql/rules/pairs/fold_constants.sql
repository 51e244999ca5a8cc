== arithmetic and comparisons of constants
SELECT a FROM t WHERE a > 1 + 2 * 3 AND 2 > 1;
--
SELECT a FROM t WHERE a > 7;

== a constant goes to the right
SELECT a FROM t WHERE 5 < a;
--
SELECT a FROM t WHERE a > 5;

== NOT moves inwards
SELECT a FROM t WHERE NOT (a < 1 OR (b = 2 AND a IS NULL));
--
SELECT a FROM t WHERE a >= 1 AND (b <> 2 OR a IS NOT NULL);

== NOT NOT
SELECT a FROM t WHERE NOT NOT (a < 1);
--
SELECT a FROM t WHERE a < 1;

== a comparison with NULL lets nothing through
SELECT a FROM t WHERE a = NULL;
--
Project [a]
  Values no rows [a, b, c, n]

== NULL in OR is FALSE in a filter
SELECT a FROM t WHERE a = 1 OR NULL;
--
SELECT a FROM t WHERE a = 1;

== FALSE takes what could raise with it
SELECT a FROM t WHERE 1 = 2 AND 10 // b = 1;
--
Project [a]
  Values no rows [a, b, c, n]

== an error stays for the run
SELECT a FROM t WHERE a = 1 // 0;
--
SELECT a FROM t WHERE a = 1 // 0;

== repeated terms
SELECT a FROM t WHERE a = 1 AND b = 2 AND a = 1;
--
SELECT a FROM t WHERE a = 1 AND b = 2;

== CASE with constant conditions
SELECT CASE WHEN 1 = 2 THEN a WHEN b = 3 THEN 4 WHEN TRUE THEN n ELSE 5 END AS x FROM t;
--
SELECT CASE WHEN b = 3 THEN 4 ELSE n END AS x FROM t;

== a column that is never NULL
SELECT a FROM t WHERE n IS NULL OR a = 1;
--
SELECT a FROM t WHERE a = 1;

== alternatives of one column
SELECT a FROM t WHERE a = 1 OR a = 2 OR a IN (3, 1);
--
SELECT a FROM t WHERE a IN (1, 2, 3);

== IS DISTINCT FROM NULL
SELECT a FROM t WHERE a IS DISTINCT FROM NULL;
--
SELECT a FROM t WHERE a IS NOT NULL;

== COALESCE
SELECT coalesce(NULL, n, a) AS x, coalesce(a, NULL, n, b) AS y FROM t;
--
SELECT n AS x, coalesce(a, n) AS y FROM t;

== FILTER (WHERE TRUE)
SELECT sum(a) FILTER (WHERE 1 < 2) AS s FROM t;
--
Project [sum(a) FILTER (WHERE (1 < 2)) AS s]
  Aggregate [sum(a) AS sum(a) FILTER (WHERE (1 < 2))]
    Scan t [a, b, c, n]
