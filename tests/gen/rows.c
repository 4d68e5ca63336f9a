/* rows.c: the operators and library functions that programs are made of: a template each, with its signature (grow.h).
 * A row guards its operands; those that may fault are apart.  Plain ones are done without others: sums, sequences cut and put
 * together, no orders and no places to write at. */
#include "tests/gen/grow.h"

const Row plain[] = {
	/* scalars */
	{"nn:n", "$0 + $1", 0}, {"nn:n", "$0 - $1", 0}, {"ii:i", "$0 * $1", 0},
	{"ff:f", "float(rem(trunc($0), 100)) * $1", 0}, {"f:f", "$0 / 2.0", 0},
	{"n:n", "-$0", 0}, {"n:n", "negate($0)", 0}, {"n:n", "abs($0)", 0}, {"nn:n", "diff($0, $1)", 0},
	{"ii:i", "rem($0, 1 + abs(rem($1, 7)))", 0}, {"ii:i", "$0 / (1 + abs(rem($1, 7)))", 0},
	{"ii:i", "mod($0, -1 - abs(rem($1, 7)))", 0}, {"ii:i", "mod($0, 9)", 0},
	{"ii:i", "$0 ^ mod($1, 4)", 0}, {"n:n", "$0 ^ 2", 0},
	{"oo:o", "max($0, $1)", 0}, {"oo:o", "min($0, $1)", 0},
	{"oo:b", "$0 == $1", 0}, {"oo:b", "$0 /= $1", 0}, {"oo:b", "$0 < $1", 0}, {"oo:b", "$0 <= $1", 0},
	{"oo:b", "$0 > $1", 0}, {"oo:b", "$0 >= $1", 0},
	{"ll:l", "$0 and $1", 0}, {"ll:l", "$0 or $1", 0}, {"ll:l", "$0 xor $1", 0}, {"ll:l", "$0 nand $1", 0},
	{"ll:l", "$0 nor $1", 0}, {"l:l", "not($0)", 0},
	{"bAA:A", "select($0, $1, $2)", 0}, {"EE:b", "eql($0, $1)", 0}, {"A:A", "identity($0)", 0},
	{"ii:i", "lshift($0, $1)", 0}, {"ii:i", "rshift($0, $1)", 0}, {"ii:i", "gcd($0, $1)", 0},
	{"n:b", "plusp($0)", 0}, {"n:b", "minusp($0)", 0}, {"n:b", "zerop($0)", 0},
	{"i:b", "oddp($0)", 0}, {"i:b", "evenp($0)", 0},
	{"f:f", "float(floor(sqrt(abs($0))))", 0}, {"i:i", "isqrt(abs(rem($0, 1000)))", 0},
	{"f:i", "floor(ln(abs($0) + 1.0))", 0}, {"f:i", "round(exp(min($0, 5.0)))", 0},
	{"f:i", "round(10.0 * sin($0))", 0}, {"f:i", "round(10.0 * cos($0))", 0},
	{"f:i", "round(10.0 * tan($0))", 0}, {"f:i", "round(10.0 * asin($0 / 64.0))", 0},
	{"f:i", "round(10.0 * acos($0 / 64.0))", 0}, {"f:i", "round(10.0 * atan($0))", 0},
	{"f:i", "round(sinh(min($0, 3.0)))", 0}, {"f:i", "ceil(cosh(min(abs($0), 3.0)))", 0},
	{"f:i", "trunc(10.0 * tanh($0))", 0}, {"f:i", "round(8.0 * log(abs($0) + 1.5, 2.0))", 0},
	{"f:i", "round(expt(abs($0) + 1.5, 1.5))", 0},
	{"i:f", "float(rem($0, 1000))", 0}, {"n:n", "one($0)", 0}, {"n:n", "zero($0)", 0},
	{"i:f", "float_num(rem($0, 500))", 0}, {"f:f", "float_num($0)", 0},
	{"f:i", "floor($0)", 0}, {"f:i", "ceil($0)", 0}, {"f:i", "trunc($0)", 0}, {"f:i", "round($0)", 0},
	{"b:i", "btoi($0)", 0}, {"i:c", "code_char(97 + mod($0, 26))", 0}, {"c:i", "char_code($0)", 0},
	{"c:c", "uppercase($0)", 0}, {"c:c", "lowercase($0)", 0}, {"c:b", "digitp($0)", 0},
	/* reductions and scans */
	{"[n]:n", "sum($0)", 0}, {"[i]:i", "product($0)", 0}, {"[n]:n", "max_val($0)", 0},
	{"[n]:n", "min_val($0)", 0}, {"[o]o:o", "max_val($0 ++ [$1])", 0}, {"[o]o:o", "min_val([$1] ++ $0)", 0},
	{"[l]:l", "any($0)", 0}, {"[l]:l", "all($0)", 0}, {"[l]:l", "parity($0)", 0}, {"[b]:i", "count($0)", 0},
	{"[n]:[n]", "plus_scan($0)", 0}, {"[i]:[i]", "mult_scan($0)", 0}, {"[n]:[n]", "max_scan($0)", 0},
	{"[n]:[n]", "min_scan($0)", 0}, {"[l]:[l]", "or_scan($0)", 0}, {"[l]:[l]", "and_scan($0)", 0},
	{"[l]:[l]", "xor_scan($0)", 0}, {"[b]:[i]", "enumerate($0)", 0},
	{"[c]:i", "char_code(max_val($0))", 0}, {"[c]:i", "char_code(min_val($0))", 0},
	{"[c]:[i]", "{char_code(c@) : c@ in max_scan($0)}", 0}, {"[c]:[i]", "{char_code(c@) : c@ in min_scan($0)}", 0},
	/* sequences */
	{"[A]:i", "#$0", 0}, {"[A]:i", "length($0)", 0},
	{"[A]Ai:A", "let v@ = $0 in if #v@ == 0 then $1 else v@[mod($2, #v@)]", 0},
	{"[A]Ai:A", "let v@ = [$1] ++ $0 in v@[mod($2, #v@)]", 0},
	{"[A]Ai:A", "let v@ = $0 ++ [$1] in elt(v@, mod($2, #v@))", 0},
	{"i:[i]", "index(mod($0, 6))", 0}, {"ii:[i]", "let a@ = rem($0, 9) in [a@ : a@ + mod($1, 6)]", 0},
	{"iii:[i]", "let a@ = rem($0, 9) in [a@ : a@ + mod($1, 9) : 1 + mod($2, 4)]", 0},
	{"iii:[i]", "let a@ = rem($0, 9) in iseq(a@, 1 + mod($1, 4), a@ + mod($2, 9))", 0},
	{"Ai:[A]", "dist($0, mod($1, 4))", 0},
	{"[A][A]:[A]", "$0 ++ $1", 0}, {"[A][A]:[A]", "append($0, $1)", 0}, {"A[A]:[A]", "cons($0, $1)", 0},
	{"[A]A:[A]", "snoc($0, $1)", 0}, {"AA:[A]", "vpair($0, $1)", 0}, {"[A]AA:(A,A)", "vsep($0 ++ [$1, $2])", 0},
	{"[A]ii:[A]", "let v@ = $0; e@ = mod($1, #v@ + 1) in subseq(v@, mod($2, e@ + 1), e@)", 0},
	{"[A]i:[A]", "let v@ = $0 in take(v@, rem($1, #v@ + 1))", 0},
	{"[A]i:[A]", "let v@ = $0 in drop(v@, rem($1, #v@ + 1))", 0},
	{"[A]i:[A]", "rotate($0, $1)", 0}, {"[A]:[A]", "reverse($0)", 0}, {"[[A]]:[A]", "flatten($0)", 0},
	{"[(A,b)]:[A]", "pack($0)", 0}, {"[A][i]:[A]", "let v@ = $0 in {v@[i@] : i@ in $1 | i@ >= 0 and (i@ < #v@)}", 0},
	{"[A]iA:A", "let v@ = $0; i@ = $1 in if i@ >= 0 and (i@ < #v@) then v@[i@] else $2", 0},
	{"E[E]:i", "sum({1 : y@ in $1 | eql(y@, $0)})", 0}, {"[A]:[(A,i)]", "let v@ = $0 in {(x@, i@) : x@ in v@; i@ in [0 : #v@]}", 0},
};

/* Floats that are nothing, or zero below zero, among others; and what a float is, told by an int. */
#define ODD "function p_odd(x, k) = let big = 1.0e308 * 10.0 in if k == 0 then big - big else if k == 1 then -1.0 / big else x;\n" \
	"function p_odds(v, n, k) = {p_odd(v[mod(7 * i, #v)], rem(i * i + i / k, k + 2)) : i in [0 : 12 + n]};\n" \
	"function p_kind(x) = if x /= x then -9 else if x == 0.0 then rank([0.0, x])[0] else trunc(8.0 * max(min(x, 99.0), -99.0));"

/* Functions of each other whose parameters have other types. */
#define HERE "function m_there(v, n, p) : ([int], int, (float, [int], int)) -> int;\n" \
	"function m_here(n, k) : (int, int) -> int = if n < 1 then k else m_there([n, k], n - 1, (2.5, [n], k));\n" \
	"function m_there(v, n, p) : ([int], int, (float, [int], int)) -> int = let (x, w, k) = p in\n" \
	"  if n < 1 then sum(v) else if k > n then m_here(n - 2, #w + k) else m_there(w, n - 1, (x + 1.0, v, v[0])) + trunc(x);"

const Row rows[] = {
	/* scalars, and what is found by them */
	{"i:i", "rand(1 + abs(rem($0, 50)))", 0}, {"f:i", "trunc(rand(abs($0) + 1.0))", 0},
	{"f:f", "float(trunc(rand(64.0))) / 8.0 + $0", 0},
	{"A:(A,b)", "let (v@, s@) = time($0) in (v@, s@ >= 0.0)", 0},
	{"AA:A", "let (v@, s@) = time($0) in if s@ < 0.0 then $1 else v@", 0},
	{"[o]:i", "max_index($0)", 0}, {"[o]:i", "min_index($0)", 0},
	/* what was kept beside what is as long in another order */
	{"[i]:[i]", "let k@ = {i@ in $0 | oddp(i@)} in {x@ - 3 * y@ : x@ in k@; y@ in reverse(k@)}", 0},
	{"[i]:[i]", "let k@ = {i@ in $0 | plusp(i@)} in {x@ - 2 * y@ : x@ in k@; y@ in rank(k@)}", 0},
	{"nnnnn:[n]", "{x@ - y@ : x@ in {u@ : u@ in [$0, $1, $2]; g@ in [t, f, t] | g@}; y@ in [$3, $4]}", 0},
	{"AAAi:[[A]]", "{{u@ : u@ in r@; g@ in [t, f, t] | g@} ++ [r@[mod($3, 3)]] : r@ in [[$0, $1, $2], [$2, $0, $1]]}", 0},
	/* and outside of an arm beside what is kept by the same condition in it */
	{"[i]b:[i]", "let k@ = {i@ in $0 | plusp(i@)} in if $1 then {x@ - 3 * y@ : x@ in k@; y@ in {2 * i@ : i@ in $0 | plusp(i@)}} else k@", 0},
	{"[[A]]b:[i]", "let k@ = {#r@ : r@ in $0 | #r@ > 1} in if $1 then k@ else {x@ - i@ : x@ in k@; i@ in index(count({#r@ > 1 : r@ in $0}))}", 0},
	/* rows, and elements of rows, kept by one condition */
	{"[[A]]:i", "let m@ = $0; o@ = {#r@ == 1 or #r@ > 2 : r@ in m@} in "
		"10 * #{c@ in o@ | c@} + #flatten({{x@ in r@ | c@} : r@ in m@; c@ in o@})", 0},
	{"[[A]]:(i,[[A]])", "let m@ = $0; o@ = {#r@ == 1 or #r@ > 2 : r@ in m@} in "
		"(#{#r@ : r@ in m@; c@ in o@ | c@}, {{x@ in r@ | c@} : r@ in m@; c@ in o@})", 0},
	/* what is folded of what scans find, beside them */
	{"[i][i]:(i,[i])", "let v@ = [1] ++ $0; s@ = plus_scan(v@) in (max_val(s@) - sum({rem(x@ * y@, 7) : x@ in s@; y@ in v@}), {x@ in s@ | oddp(x@)} ++ $1)", 0},
	{"[[n]]:[n]", "{let s@ = plus_scan(r@) in sum({x@ - y@ : x@ in s@; y@ in r@}) + sum(r@) : r@ in $0}", 0},
	{"[[i]]:[([i],i)]", "{let s@ = max_scan({abs(rem(x@, 99)) : x@ in r@}); k@ = min_val([9] ++ r@) in ({x@ + k@ : x@ in s@}, sum({max(x@, 0) : x@ in s@})) : r@ in $0}", 0},
	/* sequences */
	{"[A][i]:[A]", "let v@ = $0; k@ = #v@ in if k@ == 0 then v@ else v@ -> {mod(j@, k@) : j@ in $1}", 0},
	{"[A]A[i]:[A]", "let v@ = $0 ++ [$1]; k@ = #v@ in read(v@, {mod(j@, k@) : j@ in $2})", 0},
	{"[A][(i,A)]:[A]", "let v@ = $0 in if #v@ == 0 then v@ else v@ <- {(mod(i@, #v@), x@) : (i@, x@) in $1}", 0},
	{"[A]A[(i,A)]:[A]", "let v@ = $0 ++ [$1] in write(v@, {(mod(i@, #v@), x@) : (i@, x@) in $2})", 0},
	{"[A][A]:[A]", "let d@ = $0; v@ = $1; n@ = min(#d@, #v@) in put(take(v@, n@), take([0 : #d@], n@), d@)", 0},
	{"[A]Ai:[A]", "let d@ = $0 in if #d@ == 0 then d@ else rep(d@, $1, mod($2, #d@))", 0},
	{"[A]:[A]", "let d@ = $0 in cond_put(d@, [0 : #d@], {oddp(i@) : i@ in [0 : #d@]}, reverse(d@))", 0},
	{"[A]i:[A]", "let v@ = $0 in permute(v@, rotate([0 : #v@], $1))", 0},
	{"[n]:[n]", "let v@ = $0 in permute(v@, rank_down(v@))", 0},
	{"[A]A:[A]", "next($0, $1)", 0},
	{"[A]A:[A]", "previous($0, $1)", 0}, {"[A]:[A]", "even_elts($0)", 0}, {"[A]:[A]", "odd_elts($0)", 0},
	{"[A]:[A]", "let v@ = $0 in interleave(v@, reverse(v@))", 0}, {"[A]:[[A]]", "bottop($0)", 0},
	{"[A]A:(A,[A])", "head_rest([$1] ++ $0)", 0}, {"[A]A:([A],A)", "rest_tail([$1] ++ $0)", 0},
	{"[A]i:[[A]]", "let v@ = $0; k@ = mod($1, #v@ + 1) in partition(v@, [k@, 0, #v@ - k@])", 0},
	{"[[A]]:[[A]]", "let v@ = $0 in partition(flatten(v@), {#r@ : r@ in reverse(v@)})", 0},
	{"[A]i:[[A]]", "group_by($0, 1 + mod($1, 4))", 0},
	{"[A]i:[[(i,A)]]", "let v@ = $0 in transpose({{(j@, x@) : x@ in v@} : j@ in [0 : mod($1, 4)]})", 0},
	{"[b]:[i]", "pack_index($0)", 0},
	{"[b]A:[A]", "let g@ = $0 in unpack(dist($1, count(g@)), g@)", 0},
	{"[b]AA:[A]", "let g@ = $0; n@ = count(g@) in flag_merge(g@, dist($1, #g@ - n@), dist($2, n@))", 0},
	{"[A][A]:[A]", "let v@ = $0; w@ = $1; k@ = #v@ in join(v@, [0 : k@], w@, [k@ : k@ + #w@])", 0},
	{"[A]i:[[A]]", "let v@ = $0; n@ = $1 in split(v@, {oddp(i@ * n@) : i@ in [0 : #v@]})", 0},
	{"[b]:[i]", "length_from_flags($0)", 0}, {"[A]:[(A,i)]", "let v@ = $0 in zip(v@, [0 : #v@])", 0},
	{"[A]B:[(A,B)]", "let v@ = $0 in zip(v@, dist($1, #v@))", 0},
	{"[A]B:[(A,(B,A))]", "let v@ = $0 in zip3(v@, dist($1, #v@), reverse(v@))", 0},
	{"[(A,B)]:([A],[B])", "unzip($0)", 0}, {"(A,B):A", "first($0)", 0}, {"(A,B):B", "rest($0)", 0},
	/* what would fault but for a guard in parallel code */
	{"[A][i]A:[A]", "let v@ = $0 in {if i@ < 0 or (i@ >= #v@) then $2 else v@[i@] : i@ in $1}", 0},
	{"[i][i]:[[i]]", "let v@ = $0 in {{if d@ == 0 then n@ else rem(n@, d@) : d@ in v@} : n@ in $1}", 0},
	{"[[A]]:[A]", "{r@[#r@ - 1] : r@ in $0 | #r@ > 0}", 0},
	{"[[A]]A:[A]", "{if #r@ == 0 then $1 else r@[0] : r@ in $0}", 0},
	{"[i]:[[i]]", "{[0 : n@] : n@ in $0 | n@ >= 0 and (n@ < 9)}", 0},
	{"[i]:[f]", "{if n@ < 0 then 0.0 else float(floor(sqrt(float(n@)))) : n@ in {rem(m@, 99) : m@ in $0}}", 0},
	/* rows of many items; elements of a class that is counted from a number on, if something holds */
	{"[i]i:[[i]]", "let k@ = $1 in {[x@, k@, 2 * x@, x@ - 1, 7, x@, k@, 0 - x@, 3, 4, x@, k@, 5, x@ - 3, 6, x@, 1] : x@ in $0}", 0},
	{"[A]A:[[A]]", "let k@ = $1 in {[x@, k@, x@, k@, k@, x@, k@, x@, x@, k@, x@, k@, k@, x@, k@, k@, k@] : x@ in $0}", 0},
	{"[A]i:[[(A,i)]]", "let v@ = $0; k@ = rem($1, 3); c@ = {mod(3 * i@, 5) : i@ in [0:#v@]} in {{(x@, y@ - j@) : x@ in v@; y@ in c@; b@ in {y@ /= k@ : y@ in c@}"
		" | y@ == j@ and b@} : j@ in [k@:k@ + 6]}", 0},
	{"[A]i:[[A]]", "let v@ = $0; k@ = rem($1, 3); c@ = {mod(3 * i@, 5) - k@ : i@ in [0:#v@]} in {{x@ : x@ in v@; y@ in c@ | y@ == j@} : j@ in [k@ - 2:k@ + 4]}", 0},
	/* levels three deep, of rows of one length, and sums of their indices */
	{"[i]ii:[i]", "let v@ = $0 ++ [$1, $2]; n@ = 1 + mod($1, 3) in "
		"{sum({sum({v@[i@ + j@] * h@ - i@ : h@ in [0:n@]}) : j@ in [0:3]}) : i@ in [0:#v@ - 2]}", 0},
	{"[A]Ai:[[[A]]]", "let v@ = [$1] ++ $0; n@ = mod($2, 3) in {{{v@[mod(i@ + j@ + h@, #v@)] : h@ in [0:2]} : j@ in [0:n@]} : i@ in [0:#v@]}", 0},
	{"ii:[[[i]]]", "let a@ = 1 + mod($0, 3); b@ = mod($1, 4) in {{{i@ * 100 + j@ * 10 + h@ : h@ in [0:a@]} : j@ in [0:b@]} : i@ in [0:3]}", 0},
	{"[[i]]i:[[i]]", "let n@ = 1 + mod($1, 3) in {{sum({x@ * j@ + n@ : x@ in r@}) : j@ in [0:n@]} : r@ in $0}", 0},
	{"[i]:[[i]]", "let v@ = $0 in {{sum({if h@ > j@ then x@ + h@ else j@ * i@ : h@ in [0:3]}) : j@ in [0:2]} : x@ in v@; i@ in [0:#v@]}", 0},
	{"[i]i:[[i]]", "{flatten({let u@ = y@ + k@ in flatten({{u@ * j@ + max(u@, h@) * $1 : h@ in [0:2]} : j@ in [0:2]}) "
		": y@ in sort({mod(x@ * j@, 5) : j@ in [0:3]}); k@ in [0:3]}) : x@ in $0}", 0},
	{"[i]:[i]", "let v@ = $0; k@ = #v@ in {min_val({v@[mod(i@ * 2 + d@, k@)] - 3 * d@ : d@ in [0:4]}) : i@ in [0:k@]}", 0},
	{"[n]:[n]", "{sum({if oddp(d@) then x@ else x@ + x@ : d@ in [0:3]}) : x@ in $0}", 0}, {"[i]:[b]", "{any({oddp(d@ * i@) : d@ in [1:3]}) : i@ in $0}", 0},
	/* arms by the place, and by the row, which read what is there only where they are taken; the conditional between rows, or elements */
	{"[i]i:[i]", "let v@ = flatten(dist([$1] ++ $0, 6)); n@ = #v@; k@ = mod($1, n@ + 2) in "
		"{if j@ == 0 or k@ < j@ then x@ else v@[j@ - 1] - x@ : x@ in v@; j@ in [0:n@]}", 0},
	{"[i]ii:[[i]]", "let m@ = {{x@ * j@ : j@ in [0:20]} : x@ in $0}; k@ = mod($1, 22); h@ = mod($2, 22) in {{if i@ == 0 then x@ "
		"else if k@ >= j@ then m@[i@ - 1][j@] - x@ else if h@ /= j@ then m@[i@][j@ - k@] else j@ : x@ in r@; j@ in [0:#r@]} : r@ in m@; i@ in [0:#m@]}", 0},
	{"[[n]]n:[[n]]", "let m@ = $0; k@ = $1 in {if #r@ > 1 then {x@ - y@ : x@ in r@; y@ in s@} else if k@ == k@ + k@ then {x@ + k@ : x@ in r@} else r@ "
		": r@ in m@; s@ in {reverse(r@) : r@ in m@}}", 0},
	{"[[i]]i:[[i]]", "let m@ = $0; k@ = mod($1, 4); w@ = [0 : k@] in {if i@ < k@ then (if #r@ /= k@ then r@ else {x@ * y@ + i@ : x@ in r@; y@ in w@}) "
		"else {x@ + j@ * r@[j@ - i@] : j@ in [i@ : i@ + #r@]; x@ in r@} : r@ in m@; i@ in [0 : #m@]}", 0},
	{"[[i]]:[[i]]", "let m@ = $0 in {if i@ /= 1 then (if i@ > 0 then let d@ = 60 / i@ in {x@ * d@ : x@ in r@} else r@) "
		"else if #r@ > 0 then let h@ = r@[#r@ - 1] in {x@ - h@ : x@ in r@} else r@ : r@ in m@; i@ in [0:#m@]}", 0},
	{"[[n]]:[[n]]", "let m@ = $0 in {if #s@ == #r@ then {x@ - y@ : x@ in r@; y@ in s@} else r@ : r@ in m@; s@ in {{y@ + y@ : y@ in q@} : q@ in reverse(m@)}}", 0},
	{"[[i]]i:[[i]]", "let m@ = $0; a@ = $1 in {if #r@ > 1 then {x@ + j@ * k@ : x@ in r@; j@ in [k@ : k@ + #r@]} else {x@ - k@ : x@ in r@}"
		" : r@ in m@; k@ in [a@:a@ + #m@]}", 0},
	{"[[i]]:[[i]]", "let m@ = $0; w@ = {reverse(r@) : r@ in m@} in {if #r@ > 2 then {x@ * y@ : y@ in s@; x@ in r@} else if k@ > 1 then {x@ + y@ : x@ in r@; y@ in m@[k@]}"
		" else r@ : r@ in m@; s@ in w@; k@ in [0:#m@]}", 0},
	/* places that pass a number, or nearly do */
	{"[i]i:[[i]]", "let k@ = mod($1, 3) in {{sum({if d@ < 2 then x@ + d@ else if 2 - d@ < j@ then x@ * 3 else k@ : d@ in [0:3]}) : j@ in [0:2]} : x@ in $0}", 0},
	{"[A]A:[[A]]", "let k@ = $1 in {{select(0 < d@, x@, k@) : d@ in [0:2]} : x@ in $0}", 0},
	/* arms that give none */
	{"[i]:[i]", "flatten({if x@ > 0 then [x@, x@ * 2] else if x@ < -3 then [x@] else [] int : x@ in $0})", 0},
	{"[[i]]i:[[i]]", "{if #r@ > 1 then [] int else {x@ - $1 : x@ in r@} ++ [$1] : r@ in $0}", 0},
	{"[[i]]b:[[i]]", "{if #r@ > 1 then r@ else [] int : r@ in $0; g@ in dist($1, #($0)) | g@}", 0},
	/* folds that a guard is around, and one that others of its elements are looked at before */
	{"[[n]]n:[n]", "{if #r@ == 0 then $1 else sum(r@) - max_val(r@) : r@ in $0}", 0},
	{"[[i]]i:[i]", "{if #r@ > 2 then sum({x@ * x@ : x@ in r@}) / (1 + abs(rem(min_val(r@), 5))) else if #r@ == 1 then r@[0] else $1 : r@ in $0}", 0},
	{"[[o]][i]:[i]", "let m@ = $0 in {if #r@ /= 0 then max_index(r@) + n@ else n@ : r@ in m@; n@ in take({#r@ : r@ in m@} ++ $1, #m@)}", 0},
	{"[[i]]i:[i]", "let k@ = $1 in {max_val(r@ ++ [k@]) + sum([k@, 3] ++ r@) : r@ in $0}", 0},
	{"[n]n:[n]", "let v@ = $0; k@ = $1 in {sum({x@ * y@ : y@ in v@; j@ in [0:#v@] | j@ /= i@}) + min_val({y@ in v@ | y@ > x@} ++ [k@]) : x@ in v@; i@ in [0:#v@]}", 0},
	{"[[i]]i:[i]", "let k@ = $1 in {if #r@ == 0 then k@ else let a@ = sum(r@) / #r@ in sum({abs(x@ - a@) : x@ in r@}) : r@ in $0 ++ [[] int]}", 0},
	{"[i]ii:i", "let c@ = {abs(rem(x@ - $1, 99)) : x@ in $0}; k@ = {x@ in $0; y@ in c@ | y@ > 3} in "
		"if #k@ > mod($2, 3) then max_index(c@) + sum(k@) else if #k@ > 0 then sum(c@) else -1", 0},
	/* elements that are wanted at one place, of what is made for that and folded */
	{"[[i]]i:[(i,i)]", "let m@ = $0; z@ = rem($1, 9) in {let d@ = {(rem(x@ * 7 + k@, 19), x@ - i@ * k@) : x@ in r@; i@ in [0:#r@]} in "
		"if #r@ == 0 then (k@, z@) else d@[max_index({v@ : (v@, w@) in d@})] : r@ in m@; k@ in [z@:z@ + #m@]}", 0},
	{"[[i]]i:[i]", "let k@ = $1 in {let d@ = {rem(x@ * 5 + k@, 17) : x@ in r@} in d@[min_index(d@)] : r@ in $0 | #r@ > 0}", 0},
	{"[[n]]:[n]", "let m@ = {r@ in $0 | #r@ > 0} in {let d@ = {x@ - y@ : x@ in r@; y@ in reverse(r@)} in d@[max_index(r@)] - d@[min_index(d@)] : r@ in m@}", 0},
	{"[[i]]i:[i]", "let m@ = {r@ in $0 | #r@ > 0} in {let d@ = {rem(x@ * 5 + k@, 17) * i@ - k@ : x@ in r@; i@ in [0:#r@]} in d@[max_index(d@)]"
		" : r@ in m@; k@ in [mod($1, 3):mod($1, 3) + #m@]}", 0},
	{"[i]i:[i]", "let k@ = $1 in {let d@ = {rem(x@ * 5 + i@, 11) - k@ : i@ in [0:4]} in d@[max_index(d@)] * d@[min_index(d@)] : x@ in $0}", 0},
	{"[i]i:i", "let d@ = {rem(x@ * x@, 41) - $1 : x@ in $0} in if #d@ > 1 then d@[min_index(d@)] + d@[mod($1, #d@)] else sum(d@)", 0},
	/* the same with what does not vary in the inner loop */
	{"[[A]]:[[A]]", "{{r@[1] : x@ in drop(r@, min(#r@, 2))} : r@ in $0}", 0},
	{"[[A]]:[[[A]]]", "{{permute(r@, [1, 2, 0]) : j@ in [0 : btoi(#r@ == 3)]} : r@ in $0}", 0},
	{"[[i]]:[[[i]]]", "{{put([0, 1], r@, [7, 8, 9]) : j@ in [0 : btoi(eql(r@, [2, 0]))]} : r@ in $0}", 0},
	{"[i][i]:[[i]]", "let v@ = $0 in {{9 / n@ : d@ in v@ | d@ > 2} : n@ in $1 | n@ /= 0}", 0},
	{"[[i]]:[[[i]]]", "{{[0 : x@] : j@ in [0 : x@]} : x@ in {rem(sum(r@), 5) : r@ in $0} | x@ > 0}", 0},
	/* order */
	{"[n]:[i]", "rank($0)", 0}, {"[n]:[i]", "rank_down($0)", 0}, {"[n]:[n]", "sort($0)", 0},
	{"[o]oi:o", "let v@ = $0 ++ [$1] in kth_smallest(v@, mod($2, #v@))", 0},
	{"[o]o:o", "median([$1] ++ $0)", 0}, {"E[E]:i", "find($0, $1)", 0},
	{"[E][E]:[i]", "search_for_subseqs($0, $1)", 0}, {"[E]:[i]", "search_for_subseqs([] E, $0)", 0},
	{"[E]:[i]", "name($0)", 0}, {"[E]:[b]", "mark_duplicates($0)", 0}, {"[E]:[E]", "remove_duplicates($0)", 0},
	{"[E][E]:[E]", "union($0, $1)", 0}, {"[E][E]:[E]", "intersection($0, $1)", 0},
	{"[E][E]:[E]", "set_difference($0, $1)", 0}, {"[(E,B)]:[(E,[B])]", "collect($0)", 0},
	{"[(E,i)]:[(E,(i,b))]", "{(k@, (sum({x@ + x@ : x@ in v@}), any({x@ > 2 : x@ in v@}))) : (k@, v@) in collect($0)}", 0},
	{"[(i,i)]:[(i,(i,i))]", "{(k@, (max_val(v@), min_val({x@ xor 5 : x@ in v@}))) : (k@, v@) in int_collect($0) | #v@ < 3}", 0},
	{"[(i,B)]:[(i,[B])]", "int_collect($0)", 0}, {"[E]:[(E,i)]", "histogram($0)", 0},
	{"[i]:([(i,i)],i)", "let v@ = {rem(x@, 4) : x@ in $0 ++ reverse($0)} in (histogram(v@), sum({x@ * x@ : x@ in v@}))", 0},
	{"[c][c]:b", "string_eql($0, $1)", 0},
	/* rows long enough for lanes, of such floats */
	{"[f]fii:[i]", "{p_kind(x@) : x@ in max_scan(p_odds($0 ++ [$1], mod($2, 60), 1 + mod($3, 7)))}", ODD},
	{"[f]fii:[i]", "{p_kind(x@) : x@ in min_scan(p_odds($0 ++ [$1], mod($2, 60), 1 + mod($3, 7)))}", ODD},
	{"[[f]]i:[(i,i)]", "let k@ = 1 + mod($1, 7) in {let w@ = p_odds(r@ ++ [-2.5], 9 * mod(#r@, 4), k@) in (p_kind(max_val(w@)), p_kind(min_val(w@))) : r@ in $0}", ODD},
	{"[[f]]i:[[i]]", "let k@ = 1 + mod($1, 7) in {let w@ = p_odds(r@ ++ [-2.5], 9 * mod(#r@, 4), k@); m@ = min_scan(w@) in"
		" {p_kind(max(x@, y@)) - p_kind(min(y@, x@)) : x@ in m@; y@ in max_scan(w@)} : r@ in $0}", ODD},
	{"ii:[i]", "let k@ = mod($0, 5); w@ = {p_odd(0.0, if rem(i@ * k@, 5) == 4 then 2 else 1) : i@ in [0 : 12 + mod($1, 60)]} in"
		" {p_kind(x@) : x@ in plus_scan(w@) ++ [sum(w@), sum(drop(w@, k@))]}", ODD},
	/* by class */
	{"[A]i:[[A]]", "let v@ = $0; n@ = $1 in {{x@ in v@; i@ in [0 : #v@] | rem(i@ * n@, 7) == j@} : j@ in [0 : 6]}", 0},
	{"[A][i]i:[[(A,i)]]", "let m@ = min(#$0, #$1); v@ = take($0, m@); w@ = {rem(c@, 5) : c@ in take($1, m@)} in"
		" {{(x@, j@) : x@ in v@; c@ in w@; i@ in [0 : m@] | c@ == j@ and i@ /= $2} : j@ in [-1 : 5]}", 0},
	{"[A]:[[(A,i)]]", "let v@ = $0 in {{(x@, y@) : x@ in v@; i@ in [0 : #v@]; y@ in {k@ * j@ : k@ in [0 : #v@]} | rem(i@, 4) == j@} : j@ in [0 : 5]}", 0},
	{"[A]:[[A]]", "let v@ = $0 in {{x@ in v@; i@ in [0 : #v@] | rem(i@, 4) == j@ and i@ * j@ /= 3} : j@ in [0 : 5]}", 0},
	/* functions of several types */
	{"AB:(B,A)", "p_swap($0, $1)", "function p_swap(x, y) = (y, x);"},
	{"[A]:[A]", "p_twice($0)", "function p_twice(x) = x ++ x;"},
	{"[[n]]:[n]", "p_sums($0)", "function p_sums(v) = {sum(x) : x in v};"},
	{"bAA:A", "p_pick($0, $1, $2)", "function p_pick(c, x, y) = if c then x else y;"},
	{"[A]i:[A]", "p_turn($0, mod($1, 4))",
		"function p_turn(v, n) = if n <= 0 then v else p_turn(rotate(v, 1), n - 1);"},
	{"[A]:[(A,i)]", "p_with($0)", "function p_with(v) = {(x, #v) : x in v};"},
	{"[o]:[o]", "p_sort($0)",
		"function p_sort(v) = if #v < 2 then v else let p = v[#v / 2] in\n"
		"  p_sort({x in v | x < p}) ++ {x in v | x == p} ++ p_sort({x in v | x > p});"},
	{"[o]:[o]", "p_both($0)",
		"function p_both(v) = if #v < 2 then v else let p = v[#v / 2];\n"
		"  s = {p_both(u) : u in [{x in v | x < p}, {x in v | x > p}]} in s[0] ++ {x in v | x == p} ++ s[1];"},
	{"[i]:[i]", "p_split({rem(x@, 9) : x@ in $0}, 0)",
		"function p_split(v, n) = let w = {x in v | x > n} in if #w < 2 or n > 6 then [n] ++ w else flatten({p_split(w, k) : k in [n + 1, n + 3]});"},
	{"[A]:[[A]]", "p_halves($0)",
		"function p_halves(v) = if #v <= 1 then {[x] : x in v} else flatten({p_halves(h) : h in bottop(v)});"},
	{"i:i", "p_count(mod($0, 5))", "function p_count(n) = 1 + sum({p_count(k) : k in [0 : n]});"},
	{"[A]A:A", "p_last($0, $1)",
		"function p_last(v, x) = if #v == 0 then x else let (h, r) = head_rest(v) in p_last(r, h);"},
	{"[[A]]:[(A,i)]", "p_rows($0)",
		"function p_rows(v) = flatten({{(x, #r) : x in r} : r in v | #r /= 1});"},
	/* functions as values */
	{"{AB}[A]:[B]", "map($0, $1)", 0}, {"[A]{AB}:[B]", "let g@ = $1 in {g@(x@) : x@ in $0}", 0},
	{"{AB}A:B", "($0)($1)", 0}, {"{AB}{BC}A:C", "p_compose($1, $0)($2)", "function p_compose(p, q) = x => p(q(x));"},
	{"{AB}{BC}[A]:[C]", "map(p_then($0, $1), $2)", "function p_then(p, q) = x => q(p(x));"},
	{"{(A,B)C}A[B]:[C]", "map(p_part($0, $1), $2)", "function p_part(g, x) = y => g(x, y);"},
	{"{(A,B)C}[A]B:[C]", "let g@ = $0; z@ = $2 in {h@(z@) : h@ in {(y@ => g@(x@, y@)) : x@ in $1}}", 0},
	{"{AA}A:A", "p_again($0, $1)", "function p_again(g, x) = g(g(x));"},
	{"{AA}Ai:A", "p_iter($0, $1, mod($2, 4))",
		"function p_iter(g, x, n) = if n <= 0 then x else p_iter(g, g(x), n - 1);"},
	{"{AA}[(A,i)]:[A]", "let g@ = $0 in {p_steps(g@, x@, mod(n@, 3)) : (x@, n@) in $1}",
		"function p_steps(g, x, n) = if n <= 0 then x else g(p_steps(g, x, n - 1));"},
	{"{Ab}[A]:[A]", "p_keep($0, $1)", "function p_keep(g, v) = {x in v | g(x)};"},
	{"{(A,B)B}B[A]:B", "p_fold($0, $1, $2)",
		"function p_fold(g, z, v) = if #v == 0 or (#v > 9) then z else g(v[0], p_fold(g, z, drop(v, 1)));"},
	{"{AB}[[A]]:[[B]]", "p_deep($0, $1)", "function p_deep(g, v) = {map(g, r) : r in v};"},
	{"{iA}i:[A]", "p_tree($0, mod($1, 4))",
		"function p_tree(g, n) = if n == 0 then [g(0)] else flatten(map(k => p_tree(g, k), [0 : n])) ++ [g(n)];"},
	{"[i][i]:[[i]]", "let v@ = $1 in {{g@(x@) : x@ in v@} : g@ in {(y@ => y@ - k@) : k@ in $0}}", 0},
	{"[[A]]i:[A]", "let k@ = $1 in {g@(k@) : g@ in {(j@ => r@[mod(j@, #r@)]) : r@ in $0 | #r@ > 0}}", 0},
	/* scans: some of more elements than a block has where these are small */
	{"[i]i:([i],i)", "let k@ = rem($1, 50) in scan((x@, y@) => rem(3 * x@ + 5 * y@, 1009) - k@, k@, [k@] ++ $0)", 0},
	{"[i]f:[f]", "let (s@, a@) = scan((x@, y@) => float(rem(trunc(x@ * 2.0 + y@), 1000)), $1, {float(rem(x@, 100)) : x@ in [3] ++ $0}) in [a@] ++ s@", 0},
	{"[i]i:([(i,b)],i)", "let k@ = mod($1, 7); v@ = flatten(dist([k@] ++ $0, 90)); (s@, a@) = scan(((x@, b@), (y@, c@)) => "
		"(if c@ then (y@ + k@, c@) else (x@ - 2 * y@, b@)), (1, f), {(x@, rem(i@, 5) == k@) : x@ in v@; i@ in [0 : #v@]}) in (drop(s@, #s@ - 5), sum({x@ : (x@, b@) in s@}))", 0},
	{"[i]:([i],i)", "scan((a@, b@) => max(a@, b@), min_int, [0] ++ $0)", 0},
	{"[[A]]:([[A]],[A])", "scan(append, [] A, [[] A] ++ $0)", 0},
	{"[[i]]:[([i],i)]", "{scan(gcd, 0, r@) : r@ in $0 | #r@ > 0}", 0},
	{"{(A,A)A}A[A]:([A],A)", "p_scan($0, $1, $2)", "function p_scan(g, z, v) = scan(g, z, [z] ++ v);"},
	{"[i]i:([i],i)", "let k@ = mod($1, 9) in scan((a@, b@) => a@ + k@ / (b@ - 3), 0, [1] ++ $0)", 0},
	{"[(i,i)]:([(i,i)],(i,i))", "scan(p_after, (1, 0), [(1, 2)] ++ $0)",
		"function p_after(p, q) = let (a, b) = p; (c, d) = q in (rem(a * c, 97), rem(b * c + d, 97));"},
	{"[r]:([r],r)", "scan((a@, b@) => a@ / 2.0 + b@, 0.0, [1.0] ++ $0)", 0},
	{"ii:i", "p_near($0, by := $1) + p_near(3)", "function p_near(x, by := 2, of := 1) = x * of + by;"},
	{"[A]i{[A]A}:[A]", "let v@ = $0; g@ = $2 in p_some(v@, g := w@ => if #w@ == 0 then w@ else [g@(w@)]) ++ p_some(v@, n := mod($1, 3))",
		"function p_some(v, g := reverse, n := 1) = if n > 1 then g(g(v)) else g(v);"},
	{"i:b", "p_even(mod($0, 9))", "function p_even(n) = if n == 0 then t else not(p_even(n - 1));"},
	/* floats whose last bits depend on how they are grouped: nothing is decided by them */
	{"rr:r", "$0 + $1", 0}, {"rr:r", "$0 - $1", 0}, {"rr:r", "$0 * $1", 0}, {"r:r", "$0 / 3.0", 0}, {"f:r", "$0 / 7.0", 0},
	{"i:r", "float(rem($0, 1000)) / 9.0", 0}, {"r:r", "sqrt(abs($0))", 0}, {"r:r", "sin(max(-9.0, min(9.0, $0)))", 0},
	{"r:r", "exp(min($0, 3.0))", 0}, {"rr:r", "max($0, $1)", 0}, {"r:r", "-$0", 0}, {"i:r", "rand(float(1 + mod($0, 9)))", 0},
	{"[r]:r", "sum($0)", 0}, {"[r]r:r", "min_val($0 ++ [$1])", 0}, {"[r]:[r]", "plus_scan($0)", 0},
	{"[r]r:[r]", "max_scan([$1] ++ $0)", 0}, {"[r]:r", "product({x@ / 9.0 : x@ in $0})", 0}, {"[[r]]:[r]", "{sum(r@) : r@ in $0}", 0},
	{"[[r]][r]:[r]", "let w@ = $1 in {sum({x@ * y@ : x@ in take(r@, min(#r@, #w@)); y@ in take(w@, min(#r@, #w@))}) : r@ in $0}", 0},
	/* text */
	{"E:[c]", "@@$0", 0}, {"E:[c]", "string($0)", 0}, {"[c]i:[c]", "$0 || mod($1, 9)", 0}, {"[c]i:[c]", "$0 || (0 - mod($1, 9))", 0},
	{"i:[c]", "int_string($0)", 0}, {"fi:[c]", "exp_string($0, mod($1, 9))", 0}, {"[c]:(i,b)", "parse_int($0)", 0},
	{"i:(i,b)", "parse_int(@@$0)", 0}, {"f:(f,b)", "parse_float(@@$0)", 0}, {"[c]:(f,b)", "parse_float(take($0, min(2, #$0)))", 0},
	{"[i]:([i],b)", "parse_int_vect(flatten({@@x@ ++ \" \" : x@ in $0}))", 0}, {"[c]:[[c]]", "wordify($0)", 0}, {"[c]:[[c]]", "linify($0)", 0},
	{"[c][c]:[[c]]", "group_by_space($0, $1)", 0}, {"[[c]]:[[[c]]]", "{wordify(r@ ++ \" q\") : r@ in $0}", 0},
	{"[c]i:[[c]]", "justify_text($0, 4 + mod($1, 9))", 0}, {"[[E]]:[[c]]", "{@@r@ : r@ in $0}", 0},
	/* hashes and tables */
	{"Ei:i", "hash($0, 1 + mod($1, 99))", 0}, {"[(E,B)][E]:[(B,b)]", "search_table($1, create_table($0))", 0},
	{"[(E,B)][(E,B)]:[(E,B)]", "table_entries(insert_table($0, create_table($1)))", 0},
	{"[(E,B)](E,B)[E]:[(B,b)]", "search_table($2, insert_table($0, make_table($1, 3)))", 0},
	{"[[(E,B)]]E:[[(B,b)]]", "let k@ = $1 in {search_table([k@], create_table(r@)) : r@ in $0}", 0},
	/* records */
	{"AB:A", "let r_two(a@, b@) = r_two($0, $1) in a@", "datatype r_two(a, b) :: (a in any; b in any);"},
	{"[A]B:[(B,A)]", "let z@ = $1 in {(b@, a@) : r_two(a@, b@) in {r_two(x@, z@) : x@ in $0}}", "datatype r_two(a, b) :: (a in any; b in any);"},
	{"[A]:[A]", "r_out(r_in($0))", "datatype r_one([a]) :: (a in any);\n"
		"function r_in(v) = {r_one([x]) : x in v}; function r_out(v) = {r[0] : r_one(r) in v | #r > 0};"},
	{"bAB:A", "let r_one(v@) = if $0 then r_one([$1, $1]) else r_one([$1]) in v@[0]", "datatype r_one([a]) :: (a in any);"},
	/* loops whose rows end at different times */
	{"[i]:[i]", "{l_steps(mod(x@, 40), 0) : x@ in $0}",
		"function l_steps(n, k) = if n <= 1 or k > 20 then k else if evenp(n) then l_steps(n / 2, k + 1) else l_steps(3 * n + 1, k + 1);"},
	{"[[A]]i:[[A]]", "let n@ = mod($1, 9) in {l_grow(r@, n@) : r@ in $0 | #r@ > 0}",
		"function l_grow(v, n) = if #v >= n then v else l_grow(v ++ reverse(v), n);"},
	{"[[E]]E:[i]", "let e@ = $1 in {l_find(r@, e@, 0) : r@ in $0}",
		"function l_find(v, x, i) = if i >= #v then -1 else if eql(v[i], x) then i else l_find(v, x, i + 1);"},
	{"[[[A]]]:[[i]]", "{l_walk(r@, [] int) : r@ in $0}",
		"function l_walk(vs, got) = let w = {drop(v, 1) : v in vs | #v > 1} in\n  if #w == 0 then got else l_walk(w, got ++ {#v : v in w});"},
	{"[[o]]o:[i]", "let e@ = $1 in {l_mid(r@, e@, 0, #r@) : r@ in $0}",
		"function l_mid(v, x, lo, hi) = if hi - lo < 1 then lo else let m = (lo + hi) / 2 in\n"
		"  if v[m] < x then l_mid(v, x, m + 1, hi) else l_mid(v, x, lo, m);"},
	{"[[A]]i:[[A]]", "let k@ = $1 in {l_play(r@, [] A, mod(k@ + #r@, 5)) : r@ in $0}",
		"function l_play(v, w, n) = if n == 0 then w else if #v == 0 then l_play(w, v, n - 1)\n"
		"  else if oddp(n) then l_play(drop(v, 1), snoc(w, v[0]), n) else l_play(reverse(v), w, n - 1);"},
	{"[(i,A)]:[(A,i)]", "{l_pair(x@, mod(n@, 6), 0) : (n@, x@) in $0}",
		"function l_pair(x, n, k) = if n == 0 then (x, k) else let (y, j) = (x, k + n) in l_pair(y, n - 1, j);"},
	{"[i][i]:[i]", "let v@ = $1 in {l_chase(v@, mod(x@, 7), 0) : x@ in $0}",
		"function l_chase(v, i, n) = if i < 0 or i >= #v or n > 9 then n else l_chase(v, v[i], n + 1);"},
	{"[[i]]i:[i]", "let j@ = mod($1, 3) in {let (v@, k@) = l_hand(r@ ++ [j@], #r@ + j@, 0) in k@ + sum(v@) : r@ in $0}",
		"function l_give(v, i) = let w = rep(v, i, 0) in (w, take(w, 1));\n"
		"function l_hand(v, i, k) = if i <= 0 then (v, k) else let (w, p) = l_give(v, i); x = rep(w, i + 7, 0) in\n"
		"  l_hand(x, i - 1, k + p[mod(x[0], 2) / 2]);"},
	/* what no round changes */
	{"[n][i]i:[i]", "l_rounds($0, $1, mod($2, 4))",
		"function l_rounds(keys, w, n) = if n == 0 then w else let r = rank(keys); c = {k : (x, k) in histogram(keys)} in\n"
		"  l_rounds(keys, reverse(w) ++ {i * n : i in r; x in keys | x > keys[0]} ++ {k + n : k in c}, n - 1);"},
	{"[E][i]i:(i,[i])", "let v@ = $0 in l_picks(v@, {mod(x@, #v@) : x@ in $1}, (0, [] int), mod($2, 4))",
		"function l_picks(v, at, (got, w), n) = if n == 0 then (got, w) else let p = name(v -> at) in\n"
		"  if #p > 5 and n > 2 then (got - n, p) else let s = plus_scan(p) in l_picks(v, at, (got + sum(s), {x + n : x in s}), n - 1);"},
	/* errors that no element gets to; what is the same for all rows of a recursion; one vector cut in two ways */
	{"[[A]]:[i]", "{#{error(\"none\") : j@ in [0 : btoi(#r@ < 0)]} : r@ in $0}", 0},
	{"[i]:[i]", "{r_stop(x@) : x@ in $0 | x@ /= x@}", "function r_stop(x) = let ok = error(\"none\") in if ok then x else 0;"},
	{"[A]i:[(A,i)]", "let k@ = mod($1, 4) in {r_kept(x@, k@, k@) : x@ in $0}",
		"function r_kept(x, n, k) = let y = if n == 0 then x else let (z, j) = r_kept(x, n - 1, k) in z in (y, k);"},
	{"[A]ii:[[A]]", "let v@ = $0; k@ = #v@; a@ = mod($1, k@ + 1); b@ = mod($2, k@ + 1) in "
		"partition(v@, [a@, k@ - a@]) ++ partition(v@, [b@, k@ - b@])", 0},
	{"b[A]i:[[A]]", "let v@ = $1; k@ = #v@; a@ = mod($2, k@ + 1) in "
		"if $0 then partition(v@, [a@, k@ - a@]) else partition(v@, [k@ - a@, a@])", 0},
	{"[[A]]i:[[[[A]]]]", "{let k@ = #r@; a@ = mod($1, k@ + 1) in "
		"[partition(r@, [a@, k@ - a@]), partition(r@, [k@ - a@, a@])] : r@ in $0}", 0},
	/* functions of each other */
	{"[i]:[b]", "{m_even(mod(x@, 9)) : x@ in $0}", "function m_odd(n) : int -> bool; function m_even(n) : int -> bool = if n == 0 then t else m_odd(n - 1);\n"
		"function m_odd(n) : int -> bool = if n == 0 then f else m_even(n - 1);"},
	{"[[i]]:[[i]]", "{m_up(take(r@, min(#r@, 5))) : r@ in $0}", "function m_down(v) : [int] -> [int];\n"
		"function m_up(v) : [int] -> [int] = if #v < 2 then v else {x + 1 : x in m_down(drop(v, 1))} ++ take(v, 1);\n"
		"function m_down(v) : [int] -> [int] = if sum(v) > 9 then m_up(rotate(drop(v, 1), 1)) else if #v < 3 then reverse(v)\n"
		"  else flatten({m_up(h) : h in bottop(v)});"},
	{"[i]i:i", "m_sum($0, mod($1, 4))", "function m_all(v, n) : ([int], int) -> int;\n"
		"function m_sum(v, n) : ([int], int) -> int = if n == 0 then sum(v) else sum({m_all(v, k) : k in [0 : n]});\n"
		"function m_all(v, n) : ([int], int) -> int = if n == 0 then #v else m_sum(drop(v, min(#v, 1)), n - 1);"},
	{"[[A]]:[[A]]", "{m_left(r@, #r@) : r@ in $0}", "function m_right(n, v, k) : (int, [a], int) -> [a] :: (a in any);\n"
		"function m_left(v, n) : ([a], int) -> [a] :: (a in any) = if n < 2 then {x : x in v} else m_right(n - 1, rotate(v, 1), n);\n"
		"function m_right(n, v, k) : (int, [a], int) -> [a] :: (a in any) = if n > 3 then v ++ take(v, 1) else m_left(drop(v, k - n), n - 1);"},
	{"ii:i", "m_here(mod($0, 7), $1)", HERE},
	{"[i]i:[i]", "let k@ = rem($1, 9) in {m_here(mod(x@, 7), k@) : x@ in $0}", HERE},
	/* one of several rows of a sequence, as scalar code chooses it */
	{"[[A]]i:[[A]]", "let k@ = mod($1, 4) in {if #r@ > k@ then take(r@, k@) else drop(r@, #r@ / 2) : r@ in $0}", 0},
	{"[[A]][i]:[[A]]", "let m@ = $0; k@ = #m@ in if k@ == 0 then m@ else {if n@ < 0 then m@[mod(n@, k@)] else m@[0] : n@ in $1}", 0},
	{"[[A]][i]:[[A]]", "let m@ = $0 in {if n@ < 0 or n@ >= #m@ then [] A else m@[n@] : n@ in $1}", 0},
	{"[[A]]:[[A]]", "{c_skip(r@, 0) : r@ in $0}", "function c_skip(v, n) = if #v < 2 or n > 3 then v else c_skip(drop(v, 1), n + 1);"},
	{"[[[A]]]i:[[A]]", "let k@ = $1 in {c_pick(m@, k@) : m@ in $0 | #m@ > 0}",
		"function c_pick(m, i) = if i < 0 then m[#m - 1] else if i >= #m then take(m[0], #(m[0]) / 2) else m[i];"},
	/* recursion whose rows are small: in nested form */
	{"[[i]]:[[i]]", "{n_walk(take(r@, min(#r@, 6))) : r@ in $0 ++ [[3, 1, 2, 7], [5], [2, 9]]}",
		"function n_walk(v) = if #v == 0 then [7] else let x = v[0]; r = drop(v, 1); low = {y in r | y < x};\n"
		"  up = {(y - i, y) : y in r; i in [0 : #r] | y >= x}; k = mod(x, 9) in n_walk(low)\n"
		"  ++ flatten({dist(y, mod(y, 3)) : y in low}) ++ {a + b : (a, b) in up} ++ [k : k + 5 : 2] ++ n_walk({b : (a, b) in up});"},
	{"[[(i,A)]]:[[(A,i)]]", "{n_turn(take(r@, min(#r@, 6)), #r@) : r@ in $0 ++ $0}",
		"function n_turn(v, k) = if #v < 2 then {(a, i + k) : (i, a) in v} else let h = #v / 2 in\n"
		"  n_turn(drop(v, h), k + 1) ++ n_turn(take(v, h), k - 1);"},
	{"[[i]][i]:[(i,[i])]", "let w@ = $1 in {n_sums(take(r@, min(#r@, 5)), w@) : r@ in $0 ++ [[3, 1, 2], [5], [2, 9, -4, 4]]}",
		"function n_sums(v, w) = if #v == 0 then (#w, plus_scan(w)) else let (n, s) = n_sums(drop(v, 1), w); m = max_scan(v) in\n"
		"  (n + sum({x * y : x in v; y in m | y > x}) + max_val(v), if any({x > n : x in v}) then {x + y : x in s; y in w} else s);"},
	{"[[b]]:[i]", "{n_bits(take(r@, min(#r@, 6))) : r@ in $0 ++ [[t, f, f], [f], [t, t]]}",
		"function n_bits(v) = if #v < 2 then count(v) else let w = {x xor y : x in v; y in or_scan(v)}; h = #v / 2 in\n"
		"  n_bits(take(w, h)) + 3 * n_bits(drop(w, h)) + btoi(all(w)) + btoi(parity(v));"},
	/* what is undone again */
	{"ii:i", "let x@ = $0; y@ = $1 in (x@ + y@) - y@", 0}, {"ii:i", "let x@ = $0; y@ = $1 in (x@ - y@) + y@", 0},
	{"ii:i", "let x@ = $0; y@ = $1 in x@ - (x@ - y@)", 0}, {"[i][i]:[[i]]", "let v@ = $0 in {{(x@ + y@) - y@ : x@ in v@} : y@ in $1}", 0},
	/* rows of the same elements that are not the same rows */
	{"[A]:[[[A]]]", "let v@ = $0; n@ = #v@ in [partition(v@, [n@]), partition(v@, [0, n@]), partition(v@, [n@ / 2, n@ - n@ / 2])]", 0},
	{"[[A]]:[[[A]]]", "let w@ = {r@ : r@ in $0 | #r@ > 0} in [{take(r@, 1) : r@ in w@}, {take(r@, #r@ - 1) : r@ in w@}, w@]", 0},
	{"[[A]]:[[[[A]]]]", "{let w@ = {r@ : r@ in u@ | #r@ > 1} in [{subseq(r@, 0, 2) : r@ in w@}, {subseq(r@, 0, 1) : r@ in w@}] : u@ in [$0, $0]}", 0},
	{"[[A]]:[[[A]]]", "let w@ = {r@ : r@ in $0 | #r@ > 1} in [{subseq(r@, 0, 1) : r@ in w@}, {subseq(r@, 0, 2) : r@ in w@}]", 0},
	{"[[A]]:[[[A]]]", "{if #r@ > 1 then partition(r@, [1, #r@ - 1]) else partition(r@, [#r@, 0]) : r@ in $0}", 0},
	/* what is never zero divides */
	{"f:i", "trunc(8.0 / (abs($0) + 0.5))", 0}, {"ff:i", "trunc(8.0 / sqrt($0 * $0 + $1 * $1 + 0.25))", 0}, {"[A]i:i", "rem($1, #$0 + 1)", 0},
	{"[i]i:[i]", "let v@ = $0; k@ = $1 in {x@ / (i@ + 2) + rem(k@, max(x@, 3)) : x@ in v@; i@ in [0 : #v@]}", 0},
	/* what is read at many places, and more than added up */
	{"[i]i:i", "let v@ = $0 ++ [$1]; k@ = #v@ in sum({(i@ - 7) * v@[mod(i@ * 5, k@)] : i@ in [0 : 21]})", 0},
	{"[[i]]i:[i]", "let k@ = $1 in {let v@ = r@ ++ [k@]; n@ = #v@ in max_val({v@[mod(x@, n@)] - x@ : x@ in [k@ : k@ + 9] ++ r@}) : r@ in $0}", 0},
	/* one of several arms */
	{"[i][A]:[[A]]", "let w@ = $1 in {if n@ < 0 then reverse(w@) else if n@ == 0 then [] A else if n@ < 3 then take(w@, min(n@, #w@))"
		" else if n@ < 6 then w@ ++ w@ else rotate(w@, n@) : n@ in $0}", 0},
	{"[[A]]A:[[A]]", "{if #r@ == 0 then [$1] else if #r@ == 1 then r@ else if #r@ == 2 then r@ ++ r@ else drop(r@, 2) : r@ in $0}", 0},
	{"[i]:[[[i]]]", "{if x@ < 0 then {[y@] : y@ in [x@ : min(0, x@ + 3)]} else if oddp(x@) then [[x@], [] int] else [] [int] : x@ in {rem(z@, 9) : z@ in $0}}", 0},
	{"[i]i:[i]", "let k@ = $1 in {if x@ == 0 then 0 else if k@ / x@ > 2 then rem(k@, x@) else if x@ > 3 then sum([0 : x@]) else x@ : x@ in {mod(y@, 9) : y@ in $0}}", 0},
	{"[[E]]:[[i]]", "{if #r@ > 2 then rank({find(x@, r@) : x@ in r@}) else if #r@ == 2 then [find(r@[1], r@)] else [] int : r@ in $0}", 0},
};

const Row plain_risks[] = {
	{"ii:i", "$0 / mod($1, 3)", 0}, {"ii:i", "rem($0, mod($1, 3))", 0}, {"ii:i", "mod($0, mod($1, 3))", 0},
	{"i:i", "min_int / $0", 0}, {"f:i", "floor(sqrt($0))", 0}, {"f:i", "floor(ln($0 + 2.0))", 0},
	{"[A]i:A", "$0[mod($1, 4)]", 0}, {"[A]i:A", "elt($0, rem($1, 3))", 0}, {"[A][A]:[A]", "{(if oddp(#$0) then x@ else y@) : x@ in $0; y@ in $1}", 0},
	{"i:[i]", "let s@ = sum([max_int, max_int]) in if s@ > $0 then [s@] else dist(1, s@)", 0},
	{"i:[i]", "[0 : rem($0, 5)]", 0}, {"i:[i]", "[0 : 4 : mod($0, 3)]", 0}, {"Ai:[A]", "dist($0, rem($1, 4))", 0}, {"i:[i]", "index(rem($0, 4))", 0},
	{"[A][B]:[(A,B)]", "{(x@, y@) : x@ in $0; y@ in $1}", 0}, {"[A]i:[A]", "subseq($0, 1, mod($1, 5))", 0},
	{"[A]i:[A]", "take($0, rem($1, 4))", 0}, {"[A]i:[A]", "drop($0, rem($1, 4))", 0},
};

const Row risks[] = {
	/* sums of indices */
	{"[i]i:[i]", "let v@ = $0 ++ [$1, 4, 5] in {sum({v@[i@ + d@] * d@ : d@ in [-1:2]}) : i@ in [mod($1, 2) : #v@ - mod($1, 3)]}", 0},
	{"[[i]]:[i]", "{max_val({max_val({7 / (x@ + d@ - h@) : h@ in [0:2]}) : d@ in [0:3]}) : r@ in $0; x@ in {sum(r@) : r@ in $0}}", 0},
	{"[i]i:[[i]]", "let v@ = $0 in {{v@[i@ + j@] : j@ in [0:3]} : i@ in [0:max(0, #v@ - mod($1, 4))]}", 0},
	{"ii:[[i]]", "let v@ = [$0, $1, 3, 4] in {{v@[i@ + j@] : j@ in [0:3]} : i@ in [0:mod($0, 3) + 1]}", 0},
	/* a conditional for all in one by the data; checks of what filters of filters keep */
	{"[i][i]b:[i]", "let v@ = $0; b@ = $2 in {if x@ > 0 then (if b@ then v@[0] else 1) else x@ : x@ in $1}", 0},
	{"[[i]][i]b:[[i]]", "let v@ = $1; b@ = $2 in {if #r@ > 1 then (let w@ = (if b@ then v@[0] else 1) in {x@ + w@ : x@ in r@}) else {2 * x@ : x@ in r@} : r@ in $0}", 0},
	{"[i][i]:i", "let v@ = $0; k@ = {if i@ < 0 then 3 else v@[i@] : i@ in {x@ - 1 : x@ in $1 | x@ /= 2}} in #v@", 0},
	/* in parallel code, by the data */
	{"[A][i]:[A]", "let v@ = $0 in {v@[i@] : i@ in $1 | i@ >= 0}", 0},
	{"[A][i]A:[A]", "let v@ = $0 in {if i@ < 0 then $2 else v@[mod(i@, 7)] : i@ in $1}", 0},
	{"[i][i]:[[i]]", "let v@ = $0 in {{n@ / d@ : d@ in v@ | d@ < 8} : n@ in $1}", 0},
	{"[[A]]:[A]", "{r@[0] : r@ in $0}", 0}, {"[[A]]i:[A]", "let k@ = $1 in {r@[mod(k@, 3)] : r@ in $0 | #r@ > 1}", 0},
	{"[[A]][i]:[[A]]", "{r@ -> {mod(i@, 4) : i@ in r2@} : r@ in $0; r2@ in {$1 : x@ in [0 : 3]}}", 0},
	{"[i]:[[i]]", "{[1 : rem(n@, 9)] : n@ in $0 | n@ > 0}", 0}, {"[[i]]:[[i]]", "{permute(r@, r@) : r@ in $0}", 0},
	{"[[i]]:[[i]]", "{{x@ / y@ : x@ in r@; y@ in reverse(r@)} : r@ in $0}", 0},
	{"[f]:[i]", "{floor(sqrt(x@)) : x@ in $0}", 0}, {"[[A]]:[[A]]", "{take(r@, 1) : r@ in $0}", 0},
	/* where rows are folded, too */
	{"[[i]][i]:[i]", "let v@ = $1 in {sum({v@[mod(i@, 5)] : i@ in r@}) : r@ in $0}", 0},
	{"[[i]][i]:[i]", "let v@ = $1 in {sum({(x@ - 1) * v@[mod(x@, 5)] : x@ in r@ ++ [1, 2] ++ r@}) : r@ in $0}", 0},
	{"[i]i:i", "let v@ = $0 ++ [$1]; k@ = #v@ in sum({(i@ - 7) * v@[mod(i@ * 5, k@ + btoi(i@ > 13))] : i@ in [0 : 21]})", 0},
	{"[[i]]i:[i]", "let k@ = $1 in {max_val({9 / (x@ - k@) : x@ in [k@ + 1] ++ r@}) : r@ in $0}", 0},
	{"[[i]]:[(i,i)]", "{(sum({x@ + 7 / y@ : x@ in s@; y@ in r@}), #s@) : r@ in $0; s@ in {plus_scan(r@) : r@ in $0}}", 0},
	{"[[i]]:[[i]]", "{plus_scan({7 / x@ : x@ in r@}) : r@ in $0}", 0},
	{"[[i]]:[(i,i)]", "{(sum(r@), #{7 / (y@ - 3) : y@ in plus_scan(r@)}) : r@ in $0}", 0},
	{"[[i]]:[i]", "{sum({x@ + 1 / (y@ - 3) : x@ in r@; y@ in plus_scan(r@)}) : r@ in $0}", 0},
	{"[A]:[A]", "let v@ = $0; k@ = max(#v@, 1) in permute(v@, {rem(2 * i@, k@) : i@ in [0 : #v@]})", 0},
	{"[[A]]:[[A]]", "{permute(r@, {rem(2 * i@, #r@) : i@ in [0 : #r@]}) : r@ in $0}", 0},
	{"iA:(A,i)", "let ok@ = {error(\"some\") : j@ in [0 : btoi(mod($0, 5) == 0)]} in ($1, #ok@)", 0},
	{"[[i]]:[[[i]]]", "{{permute(r@, r@) : j@ in [0 : max(#r@ - 2, 0)]} : r@ in $0}", 0},
	{"[[A]]A:[[[A]]]", "{{put([$1], [2], r@) : j@ in [0 : max(#r@ - 1, 0)]} : r@ in $0}", 0},
	{"[i][i]:[[i]]", "let v@ = $0 in {{9 / n@ : d@ in v@ | d@ > 2} : n@ in $1}", 0},
	{"[[i]]:[i]", "{n_pick(take(r@, min(#r@, 5))) : r@ in $0 ++ [[0, 1, 2], [5]]}",
		"function n_pick(v) = if #v < 2 then #v else n_pick(take(v, #v / 2)) + v[mod(v[0], 4)] + n_pick(drop(v, #v / 2));"},
	{"[[i]]:[i]", "{n_over(take(r@, min(#r@, 5))) : r@ in $0 ++ [[1, 3], [5], [2, 4, 2]]}",
		"function n_over(v) = if #v == 0 then 0 else n_over(drop(v, 1)) + 99 / v[0] + #{1 : x in v; y in drop(v, mod(v[0], 2))};"},
	{"[[i]]:[[i]]", "{n_more(take(r@, min(#r@, 4))) : r@ in $0 ++ [[1, 2], [2, 0, 3], [1]]}",
		"function n_more(v) = if #v == 0 then [] int else n_more(drop(v, 1)) ++ dist(#v, mod(v[0], 5)) ++ n_more(take(v, #v - 1));"},
	/* popped and pushed in turn; rows of a loop's state, updated while others leave */
	{"[A]iA:[A]", "n_pile($0, mod($1, 6), $2)",
		"function n_pile(v, n, x) = if n == 0 then v else n_pile(take(v, #v - btoi(#v > 0)) ++ (if rem(n, 2) == 0 then [x] else [x, x]), n - 1, x);"},
	{"[A]iA:[A]", "n_line($0, mod($1, 6), $2)",
		"function n_line(v, n, x) = if n == 0 then v else n_line(drop(v, btoi(#v > 1)) ++ [x], n - 1, (if #v > 2 then v[1] else x));"},
	{"[[A]]A:[[A]]", "{n_ends(r@, #r@, $1) : r@ in $0}",
		"function n_ends(v, n, x) = if n <= 0 then v else n_ends(subseq(v, 1, #v) ++ [x, v[0]], n - 2, v[#v - 1]);"},
	{"[i]i:[i]", "n_fill($0, mod($1, 3))",
		"function n_fill(p, i) = if i >= #p then p else n_fill(rep(p, i + p[0], mod(p[i], #p)), i + 1 + btoi(p[i] > 2));"},
	{"[[i]]i:[[i]]", "{n_most(r@, mod($1, 2)) : r@ in $0 ++ [[1, 2, 3], [4, 5, 6]]}",
		"function n_most(p, i) = if i >= #p then p else if p[i] > 4 then n_most(p, i + 1) else n_most(p <- [(i, 5), (mod(p[0], #p), i)], i + 1);"},
	/* rows that a loop writes over: seen again or not, in one arm or all, through a pair */
	{"[[A]]i:[[A]]", "{n_swap(r@, #r@ - 1, mod($1, 3)) : r@ in $0}",
		"function n_swap(v, i, k) = if i <= 0 then v else if rem(i, 3) == k then n_swap(v, i - 1, k)\n"
		"  else n_swap(rep(rep(v, v[i - 1], i), v[i], i - 1), i - 1 - btoi(i > k), k);"},
	{"[[i]][i]:[[i]]", "let e@ = $1 in {n_join(r@, e@, 0) : r@ in $0 | #r@ > 0}",
		"function n_up(p, i, n) = if n > 3 or i < 0 or i >= #p then mod(i, #p) else n_up(p, p[i], n + 1);\n"
		"function n_join(p, es, i) = if i == #es then p else let (a, b) = (n_up(p, es[i], 0), n_up(p, i, 0)) in\n"
		"  if a == b then n_join(p, es, i + 1) else n_join(rep(p, b, a), es, i + 1);"},
	{"[[i]]i:[([i],[i])]", "let k@ = mod($1, 6) in {n_both(r@, r@, k@ + rem(#r@, 2)) : r@ in $0 | #r@ > 0}",
		"function n_both(v, w, n) = if n == 0 then (v, w) else let (u, k) = (if v[0] > n then (rep(v, n, #v - 1), 1) else (v, w[0]));\n"
		"  x = rep(w, k, mod(n + k, #w)) in if w[0] == k then n_both(u, rep(w, x[0] + n, 0), n - 1) else n_both(rep(u, k + #x, 0), x, n - 1);"},
	{"[[i]]i:[[i]]", "let k@ = mod($1, 5) in {n_late(r@, [] int, k@ + rem(#r@, 2)) : r@ in $0 | #r@ > 0}",
		"function n_late(v, w, n) = if n == 0 then v ++ w else let s = take(v, #v - 1); u = rep(v, n, mod(n, #v)) in\n"
		"  if n > 3 then n_late(u, s, n - 1) else if n == 2 then n_late(rep(u, sum(s), 0), w, n - 1) else n_late(rep(u, n, 0), s, n - 1);"},
	{"[[f]][i]:[[f]]", "let e@ = $1 in {n_each(r@, e@, 0) : r@ in $0 | #r@ > 0}",
		"function n_each(p, e, i) = if i >= #e then p else let q = p <- {(mod(x, #p), p[0]) : x in e} in\n"
		"  if #{v : v in q | v > 1.0} == 0 then n_each(q, e, i + 2) else n_each(rep(q, 1.0, mod(i, #q)), e, i + 1);"},
	{"[[A]]i:[([A],[A])]", "let k@ = mod($1, 4) in {n_trade(r@, reverse(r@), #r@ - 1, k@) : r@ in $0}",
		"function n_two(v, w, i) = let x = v[i] in (rep(v, w[i], i), rep(w, x, i));\n"
		"function n_trade(v, w, i, k) = if i < 0 then (v, w) else let (u, z) = n_two(v, w, i) in\n"
		"  if rem(i, 4) == k then n_trade(u, z, i - 1, k) else if k == 1 then n_trade(rep(u, z[0], i), w, i - 1, k) else n_trade(rep(v, u[0], 0), z, i - 1, k);"},
	{"[[o]]:[([o],i)]", "{n_order(r@, 1, 0) : r@ in $0}",
		"function n_sink(v, i, n) = if i == 0 then (v, n) else if v[i - 1] <= v[i] then (v, n) else n_sink(rep(rep(v, v[i], i - 1), v[i - 1], i), i - 1, n + 1);\n"
		"function n_order(v, i, n) = if i >= #v then (v, n) else let (w, m) = n_sink(v, i, 0) in if m > 1 then n_order(w, i + 1, n + m) else n_order(w, i + 1, n);"},
	{"[[i]][i]:[[i]]", "let e@ = $1 in {n_meet(r@, e@, 0) : r@ in $0 | #r@ > 0}",
		"function n_top(p, i, n) = if n > 5 or i < 0 or i >= #p then mod(i, #p) else if p[i] == i then i else n_top(p, p[i], n + 1);\n"
		"function n_short(p, i, r, n) = if n > 5 or i < 0 or i >= #p then p else n_short(rep(p, r, i), p[i], r, n + 1);\n"
		"function n_look(p, i) = let r = n_top(p, i, 0) in (n_short(p, i, r, 0), r);\n"
		"function n_meet(p, es, i) = if i == #es then p else let (p1, a) = n_look(p, es[i]); (p2, b) = n_look((if oddp(a) then p1 else p), i) in\n"
		"  if a == b then n_meet(p2, es, i + 1) else n_meet(rep(p2, b, a), es, i + 1);"},
	{"[[A]]iA:[([A],i)]", "let k@ = mod($1, 4); a@ = $2 in {n_trail(r@, a@, #r@ + k@) : r@ in $0}",
		"function n_trail(v, x, n) = if n == 0 then (v, #v) else if rem(n, 3) == 0 then n_trail(v, x, n - 1)\n"
		"  else if #v > 9 then n_trail(v ++ [x], v[mod(n, #v)], n - 1) else n_trail(v ++ v ++ [x], x, n - 1);"},
	{"[[i]]i:[[i]]", "let k@ = mod($1, 6) in {n_tape(r@, k@, k@ + #r@) : r@ in $0 | #r@ > 0}",
		"function n_push(v, x) = v ++ [x, x + 1];\n"
		"function n_tape(v, x, n) = if n == 0 then v else let (w, y) = (if oddp(n) then (n_push(v, x), v[0]) else (rep(v, x, mod(n, #v)), x + 1)) in\n"
		"  if rem(y, 3) == 1 then n_tape(w ++ take(w, 1), y, n - 1) else n_tape(w, y, n - 1);"},
	{"[[(A,i)]]i:[[(A,i)]]", "{n_log(r@, [] (A, int), #r@) : r@ in $0}",
		"function n_log(v, w, n) = if n == 0 then w else let (x, k) = v[n - 1] in if oddp(k) then n_log(v, w ++ [(x, n)], n - 1) else n_log(v, w ++ drop(v, n - 1), n - 1);"},
	/* places that go around the end, or are held at it, or not quite */
	{"[A]i:[A]", "let v@ = $0; n@ = #v@ in if mod($1, 3) == 0 then {v@[rem(i@ - 1, n@)] : i@ in [0 : n@]} else {v@[mod(i@ - $1, n@)] : i@ in [0 : n@]}", 0},
	{"[n]i:[n]", "let v@ = $0; n@ = #v@ in if mod($1, 3) == 0 then {v@[rem(i@ - 2 + n@, n@)] : i@ in [0 : n@]} else {v@[rem(i@ + n@ - 1, n@)] : i@ in [0 : n@]}", 0},
	{"[n]i:[n]", "let v@ = $0; n@ = #v@ in if mod($1, 3) > 0 then {sum({v@[max(0, min(i@ + j@, n@ - 1))] : j@ in [-2 : 3]}) : i@ in [0 : n@]} "
		"else {v@[min(i@ - 1, n@ - 1)] : i@ in [0 : n@]}", 0},
	{"[[n]]i:[[n]]", "if mod($1, 3) > 0 then {{r@[max(i@ - 1, 0)] - r@[min(i@ + 1, #r@ - 1)] : i@ in [0 : #r@]} : r@ in $0} else {{r@[max(i@, 1)] : i@ in [0 : #r@]} : r@ in $0}", 0},
	{"[n]i:[n]", "let v@ = $0; n@ = #v@ in if mod($1, 3) > 0 then {v@[max(i@ - 1, 0)] - v@[min(i@ + 1, n@ - 1)] : i@ in [0 : n@]} else {v@[max(i@, 1)] : i@ in [0 : n@]}", 0},
	/* in one of the applications of a scan's operator; which is the first */
	{"[i]i:([i],i)", "let k@ = mod($1, 40) in scan((x@, y@) => rem(x@ + 7 * y@, 1 + rem(x@ + y@, k@)), 1, $0)", 0},
	{"[i][i]i:i", "let v@ = $0; w@ = flatten(dist({mod(x@, 9) : x@ in $1}, 60)); (s@, a@) = scan((x@, y@) => mod(x@ + y@, 9) + v@[rem(y@, 3)] / 50, 1, w@) in a@ + $2", 0},
	/* anywhere */
	{"i:i", "rand(mod($0, 5))", 0}, {"iA:A", "let ok@ = if mod($0, 5) == 0 then error(\"no\") else t in $1", 0}, {"ff:f", "$0 / float(mod(trunc($1), 2))", 0}, {"i:f", "reciprocal(float(mod($0, 2)))", 0},
	{"i:i", "trunc(8.0 / (1.0 + float(0 - mod($0, 2))))", 0}, {"ff:i", "trunc(8.0 / min(abs($0) + 1.0, abs($1)))", 0},
	{"i:i", "trunc(8.0 / max(abs(p_odd(1.0, mod($0, 3))) + 1.0, 0.0))", ODD}, {"ii:i", "rem($0, 1 + rem($1, 3))", 0},
	{"i:i", "isqrt(rem($0, 100))", 0}, {"ii:i", "$0 ^ rem($1, 4)", 0},
	{"i[i]:[i]", "let n@ = mod($0, 2) in {kth_smallest(dist(q@, n@), 0) : q@ in $1}", 0},
	{"[A][i]:[A]", "$0 -> {mod(j@, 4) : j@ in $1}", 0}, {"[A][i]:[A]", "get($0, $1)", 0},
	{"[A][(i,A)]:[A]", "$0 <- {(mod(i@, 4), x@) : (i@, x@) in $1}", 0},
	{"[A]Ai:[A]", "rep($0, $1, mod($2, 4))", 0}, {"[A][i][A]:[A]", "put($0, {mod(i@, 4) : i@ in $1}, $2)", 0},
	{"[A][i]:[A]", "permute($0, {mod(i@, 4) : i@ in $1})", 0},
	{"[A][B]:[(A,B)]", "zip($0, $1)", 0},
	{"[A][i]:[[A]]", "partition($0, {mod(i@, 3) : i@ in $1})", 0}, {"[[A]]:[[A]]", "transpose($0)", 0},
	{"[A]:(A,[A])", "head_rest($0)", 0},
	{"[A]:([A],A)", "rest_tail($0)", 0}, {"[A]:(A,A)", "vsep($0)", 0}, {"[A]i:[[A]]", "group_by($0, mod($1, 3))", 0},
	{"[A][A]:[A]", "interleave($0, $1)", 0}, {"[o]i:o", "kth_smallest($0, mod($1, 4))", 0},
	{"[o]:o", "median($0)", 0}, {"[b][A][A]:[A]", "flag_merge($0, $1, $2)", 0},
	{"[A][b]:[[A]]", "split($0, $1)", 0}, {"[A][b]:[A]", "unpack($0, $1)", 0},
};

const int nplain = sizeof plain / sizeof *plain, nrow = sizeof rows / sizeof *rows,
	nplain_risk = sizeof plain_risks / sizeof *plain_risks, nrisk = sizeof risks / sizeof *risks;
