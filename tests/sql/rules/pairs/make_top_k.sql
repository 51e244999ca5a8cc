== a limit of a sort
SELECT a, b FROM t ORDER BY a DESC LIMIT 3 OFFSET 1;
--
Project [a, b]
  TopK 3 offset 1 by a DESC
    Scan t [a, b, c, n]

== an offset alone is no limit
SELECT a, b FROM t ORDER BY a OFFSET 1;
--
Project [a, b]
  Limit offset 1
    Sort a
      Scan t [a, b, c, n]

== a large limit sorts everything
SELECT a, b FROM t ORDER BY a LIMIT 1000000;
--
Project [a, b]
  Limit 1000000
    Sort a
      Scan t [a, b, c, n]
