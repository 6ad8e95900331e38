# Reads the output of `ctest --verbose` and prints "passed failed": every Catch2 test case counts as one, every scenario
# of `lockstep test`, and every other ctest test. A program that ends without its summary (a crash) is one failure.
/: All tests passed \(/ { split($0, parts, " in "); split(parts[2], n, " "); cases += n[1]; summary = 1 }
/: test cases: / {
  for (i = 1; i < NF; i++) {
    if ($(i + 1) == "passed") cases += $i
    if ($(i + 1) == "failed") { failures += $i; summary = 1 }
  }
}
/: [0-9]+ scenarios?: [0-9]+ as expected/ {
  for (i = 1; i < NF; i++) {
    if ($(i + 1) ~ /^scenarios?:$/) all = $i
    if ($(i + 1) == "as" && $i ~ /^[0-9]+$/ && $(i + 2) ~ /^expected,?$/) good = $i
  }
  cases += good; failures += all - good; summary = 1
}
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ {
  ok = /   Passed /
  if (ok && !summary) cases++
  if (!ok && !summary) failures++
  summary = 0
}
END { print cases + 0, failures + 0 }
