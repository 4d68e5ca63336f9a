/* scalar.c: much arithmetic for each element.  `scalar RUNS options PRICE.npy STRIKE.npy YEARS.npy`, Black-Scholes;
 * `scalar RUNS mandelbrot SIDE`; `scalar RUNS integrate TOLERANCE`, adaptive quadrature. */
#include "bench.h"
#include <math.h>

static Floats price, strike, years;
static double *out, integral, tolerance;
static i64 side, *steps;

static double
cumulative(double x)
{
	const double k = 1.0 / (1.0 + 0.2316419 * fabs(x));
	const double poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
	const double tail = exp(-0.5 * x * x) * 0.39894228040143268 * poly;

	return x < 0.0 ? tail : 1.0 - tail;
}

/* Interest 0.03, volatility 0.25. */
static void
options(void)
{
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < price.n; i++) {
		const double root = 0.25 * sqrt(years.at[i]);
		const double d1 = (log(price.at[i] / strike.at[i]) + (0.03 + 0.5 * 0.25 * 0.25) * years.at[i]) / root;

		out[i] = price.at[i] * cumulative(d1) - strike.at[i] * exp(-0.03 * years.at[i]) * cumulative(d1 - root);
	}
}

static void
mandelbrot(void)
{
#pragma omp parallel for schedule(dynamic)
	for (i64 j = 0; j < side; j++)
		for (i64 i = 0; i < side; i++) {
			const double cx = 3.0 * (double)i / (double)side - 2.2, cy = 2.4 * (double)j / (double)side - 1.2;
			double x = 0.0, y = 0.0;
			i64 n = 0;

			for (; n < 100 && x * x + y * y <= 4.0; n++) {
				const double t = x * x - y * y + cx;

				y = 2.0 * x * y + cy;
				x = t;
			}
			steps[j * side + i] = n;
		}
}

static double
height(double x)
{
	return sin(1.0 / (x + 0.001));
}

/* fa, fm, fb: at a, the middle, b; whole: Simpson's rule over all of it. */
static double
refine(double a, double b, double fa, double fm, double fb, double whole, double allowed, int depth)
{
	const double m = (a + b) / 2.0, fl = height((a + m) / 2.0), fr = height((m + b) / 2.0);
	const double one = (m - a) / 6.0 * (fa + 4.0 * fl + fm), two = (b - m) / 6.0 * (fm + 4.0 * fr + fb);
	double left, right;

	if (fabs(one + two - whole) <= 15.0 * allowed || depth == 0)
		return one + two + (one + two - whole) / 15.0;
#pragma omp task shared(left) if (depth > 40)
	left = refine(a, m, fa, fl, fm, one, allowed / 2.0, depth - 1);
	right = refine(m, b, fm, fr, fb, two, allowed / 2.0, depth - 1);
#pragma omp taskwait
	return left + right;
}

static void
integrate(void)
{
	const double fa = height(0.0), fm = height(0.5), fb = height(1.0);

#pragma omp parallel
#pragma omp single
	integral = refine(0.0, 1.0, fa, fm, fb, (fa + 4.0 * fm + fb) / 6.0, tolerance, 50);
}

static double
of_options(void)
{
	return sum_of(out, price.n);
}

static double
of_mandelbrot(void)
{
	i64 sum = 0;

	for (i64 i = 0; i < side * side; i++)
		sum += steps[i];
	return (double)sum;
}

static double
of_integrate(void)
{
	return integral;
}

int
main(int argc, char **argv)
{
	if (argc == 6 && strcmp(argv[2], "options") == 0) {
		price = read_floats(argv[3]);
		strike = read_floats(argv[4]);
		years = read_floats(argv[5]);
		out = get(price.n, sizeof *out);
		return bench(argv[1], NULL, options, of_options);
	}
	if (argc == 4 && strcmp(argv[2], "mandelbrot") == 0) {
		side = whole_number(argv[3]);
		steps = get(side * side, sizeof *steps);
		return bench(argv[1], NULL, mandelbrot, of_mandelbrot);
	}
	if (argc == 4 && strcmp(argv[2], "integrate") == 0) {
		tolerance = strtod(argv[3], NULL);
		return bench(argv[1], NULL, integrate, of_integrate);
	}
	fail("scalar RUNS KERNEL INPUT...");
}
