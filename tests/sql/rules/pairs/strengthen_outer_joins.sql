== a filter that no NULL meets
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE u.d > 1;
--
SELECT t.a FROM t JOIN u ON t.a = u.a WHERE u.d > 1;

== a filter that NULL may meet
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE u.d > 1 OR u.d IS NULL;
--
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE u.d > 1 OR u.d IS NULL;

== COALESCE may make a value of NULL
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE coalesce(u.d, 5) > 1;
--
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE coalesce(u.d, 5) > 1;

== a key of a join above
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a JOIN v ON u.d = v.e;
--
SELECT t.a FROM t JOIN u ON t.a = u.a JOIN v ON u.d = v.e;

== through a derived table
SELECT x FROM (SELECT u.d + 1 AS x FROM t LEFT JOIN u ON t.a = u.a) WHERE x = 3;
--
SELECT x FROM (SELECT u.d + 1 AS x FROM t JOIN u ON t.a = u.a) WHERE x = 3;

== not through a limit
SELECT x FROM (SELECT u.d AS x FROM t LEFT JOIN u ON t.a = u.a LIMIT 3) WHERE x = 3;
--
SELECT x FROM (SELECT u.d AS x FROM t LEFT JOIN u ON t.a = u.a LIMIT 3) WHERE x = 3;
