"""Prints URLs of a picture door, made by two builders of imgproxy's URLs from PyPI: BUILDER WIDTH HEIGHT FORMAT PATH.

imgproxy_urls.py KEY SALT SOURCE
"""
import sys

import imgproxy
import pyimgproxy

key, salt, source = sys.argv[1:]


def show(builder, width, height, form, path):
    print(builder, width, height, form, path)


for width, height, form in (200, 100, "webp"), (64, 64, "png"), (30, 90, "jpg"):
    made = imgproxy.ImgProxy(source, key=key, salt=salt, resizing_type="fill", width=width, height=height, gravity="ce", enlarge=False, extension=form)
    show("imgproxy", width, height, form, made())
    image = pyimgproxy.ImgProxy("http://x", key=key, salt=salt).image(source)
    show("pyimgproxy", width, height, form, image.resize("fill", width, height).quality(70).format(form).url.removeprefix("http://x"))
