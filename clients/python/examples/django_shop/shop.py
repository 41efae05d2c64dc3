"""A Django project in one file: a page of product photos in the sizes that its template asks for.

    TINTYPE=tcp://127.0.0.1:7411 python shop.py runserver

`{% picture url 200 %}` is an image whose bytes come through the view `picture`. A browser needs no token of the service, and strangers
cannot ask for sizes of their own, because the address of the picture is signed.
"""

from __future__ import annotations

import functools
import os
import sys

from django.conf import settings
from django.core import signing
from django.core.management import execute_from_command_line
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import Library
from django.urls import path, reverse
from django.utils.html import format_html

from tintype import Output, Resize, TintypeError, blocking

if not settings.configured:
    settings.configure(
        DEBUG=False, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY=os.environ.get("SECRET_KEY", "only for this example"),
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [os.path.dirname(os.path.abspath(__file__))],
            "OPTIONS": {"libraries": {"tintype": __name__}},
        }])

register = Library()


@functools.cache
def client() -> blocking.Tintype:
    """One client for all threads of a process, made by the first request: a server that forks has a client in each process."""
    return blocking.Tintype(os.environ.get("TINTYPE", "tcp://127.0.0.1:7411"))


@register.simple_tag
def picture(url: str, width: int) -> str:
    """An image of a width, and one of twice the width for dense screens."""
    one, two = (reverse("picture", args=[signing.dumps([url, factor * width])]) for factor in (1, 2))
    return format_html('<img src="{}" srcset="{} 2x" width="{}" loading="lazy">', one, two, width)


def show(request: HttpRequest, signed: str) -> HttpResponse:
    try:
        url, width = signing.loads(signed)
        image = client().load(url, Resize(width), output=Output("auto", accept=request.headers.get("Accept", "*/*")), deadline=10)
        data = image.read()
    except signing.BadSignature:
        raise Http404("the address is not of this page") from None
    except TintypeError as error:
        return HttpResponse(str(error), status=503 if error.retryable else 404, content_type="text/plain")
    return HttpResponse(data, content_type=image.content_type, headers={"Cache-Control": "public, max-age=3600", "Vary": "Accept"})


def shop(request: HttpRequest) -> HttpResponse:
    photos = os.environ.get("PHOTOS", "https://example.org/photo.jpg").split(",")
    return render(request, "shop.html", {"photos": photos})


urlpatterns = [path("", shop), path("picture/<str:signed>", show, name="picture")]

if __name__ == "__main__":
    # A module of its own name, so that the template library and this file are one.
    sys.modules.setdefault("shop", sys.modules[__name__])
    execute_from_command_line(sys.argv)
