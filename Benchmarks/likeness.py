"""How near one picture is to another."""

import numpy
from PIL import Image


def similarity(one: Image.Image, other: Image.Image) -> float:
    """SSIM of the luma, windows of 8 × 8 (Wang et al. 2004)."""

    def windows(plane):
        sums = numpy.cumsum(numpy.cumsum(numpy.pad(plane, ((1, 0), (1, 0))), axis=0), axis=1)
        return (sums[8:, 8:] - sums[:-8, 8:] - sums[8:, :-8] + sums[:-8, :-8]) / 64

    x, y = (numpy.asarray(each.convert("L"), dtype=numpy.float64) for each in (one, other))
    mean_x, mean_y = windows(x), windows(y)
    spread_x, spread_y = windows(x * x) - mean_x**2, windows(y * y) - mean_y**2
    shared = windows(x * y) - mean_x * mean_y
    near, deep = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    map_ = (2 * mean_x * mean_y + near) * (2 * shared + deep) / ((mean_x**2 + mean_y**2 + near) * (spread_x + spread_y + deep))
    return float(map_.mean())
