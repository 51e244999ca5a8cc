== a limit of a sort
SELECT a, b FROM t ORDER BY a DESC LIMIT 3 OFFSET 1;
--
TopK 3 offset 1 by a DESC
  Project [a, b]
    Scan t [a, b, c, n]

== an offset alone is no limit
SELECT a, b FROM t ORDER BY a OFFSET 1;
--
Limit offset 1
  Sort a
    Project [a, b]
      Scan t [a, b, c, n]

== a large limit sorts everything
SELECT a, b FROM t ORDER BY a LIMIT 1000000;
--
Limit 1000000
  Sort a
    Project [a, b]
      Scan t [a, b, c, n]
