"""An origin for measurements: nginx with one photo, as a JPEG. A query makes another source of it."""

import shutil

from PIL import Image

from nginx import Nginx


class PhotoOrigin(Nginx):
    def __init__(self, folder, photo):
        """`photo` is the path of a picture; one of another format is made a JPEG."""
        super().__init__(folder, "default_type image/jpeg;")
        self.file = f"{self.folder}/photo.jpg"
        with Image.open(photo) as picture:
            if picture.format == "JPEG":
                shutil.copy(photo, self.file)
            else:
                picture.convert("RGB").save(self.file, quality=90)
        self.url = f"http://{self.address}/photo.jpg"
