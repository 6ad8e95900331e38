"""Difference-bound matrices of clocks in whole ms, and what stands in for them: one integer for
each clock."""
import itertools

INF = 1 << 60


class Zones:
    """Matrices as flat lists, row i and column j: the bound of x_i - x_j. All are canonical."""

    def __init__(self, clocks):
        self.n = clocks + 1

    def zero(self):
        return [0] * (self.n * self.n)

    def least(self, d, x):
        return -d[x]

    def close(self, d, i, row):
        """Every path through x_i, and on by this row."""
        n = self.n
        for a in range(n):
            via = d[a * n + i]
            if via < INF:
                d[a * n : a * n + n] = [
                    min(old, via + more) for old, more in zip(d[a * n : a * n + n], row)
                ]

    def constrain(self, d, i, j, c):
        n = self.n
        if d[j * n + i] + c < 0:
            return False
        if c < d[i * n + j]:
            self.close(d, i, [c + more for more in d[j * n : j * n + n]])
        return True

    def reset(self, d, x):
        n = self.n
        d[x * n : x * n + n] = d[:n]
        d[x::n] = d[::n]

    def delay(self, d, bounds):
        for a in range(1, self.n):
            d[a * self.n] = INF
        for x, c in bounds:
            self.constrain(d, x, 0, c)

    def extrapolate(self, d, largest):
        """A clock above `largest` is just that; -1: nobody reads it any more."""
        n, before = self.n, list(d)
        beyond = [-c > m for c, m in zip(d, largest)]
        for i, j in itertools.product(range(n), repeat=2):
            if i and i != j and (d[i * n + j] > largest[i] or beyond[i] or beyond[j]):
                d[i * n + j] = INF
        d[:n] = [-(m + 1) if over else c for c, m, over in zip(d, largest, beyond)]
        if d != before:
            for k in range(n):
                self.close(d, k, d[k * n : k * n + n])
            d[:] = [min(c, INF) if c < INF // 2 else INF for c in d]


class Points(Zones):
    """One integer for each clock; a delay is a step of its own."""

    def zero(self):
        return [0] * self.n

    def least(self, d, x):
        return d[x]

    def constrain(self, d, i, j, c):
        return d[i] - d[j] <= c

    def reset(self, d, x):
        d[x] = 0

    def delay(self, d, bounds):
        pass

    def extrapolate(self, d, largest):
        d[:] = [min(v, m + 1) for v, m in zip(d, largest)]
