// Draws a picture in Chromium: the frames as URLs of PNGs, their times in milliseconds, and how often they play (0: for ever).
async (pixels, type, url) => {
  const refuse = (reason) => { throw new Error(`draw: ${reason}`); };
  const png = async (source, width, height) => {
    const canvas = new OffscreenCanvas(width, height), reader = new FileReader();
    canvas.getContext("2d").drawImage(source, 0, 0, width, height);
    reader.readAsDataURL(await canvas.convertToBlob());
    await new Promise((done) => reader.onload = done);
    return reader.result;
  };
  if (await ImageDecoder.isTypeSupported(type)) {
    const decoder = new ImageDecoder({ type, data: await (await fetch(url)).arrayBuffer() });
    await Promise.all([decoder.tracks.ready, decoder.completed]).catch(() => {});
    const { frameCount, repetitionCount } = decoder.tracks.selectedTrack ?? { frameCount: 0 }, frames = [], delays = [];
    for (let frameIndex = 0; frameCount > 1 && frameIndex < frameCount; frameIndex++) {
      const { image } = await decoder.decode({ frameIndex }).catch((error) => refuse(`frame ${frameIndex}: ${error.message}`));
      if (image.displayWidth * image.displayHeight * frameCount > pixels) refuse(`has ${frameCount} × ${image.displayWidth} × ${image.displayHeight} pixels, which is more than are judged`);
      frames.push(await png(image, image.displayWidth, image.displayHeight));
      delays.push(image.duration / 1000 > 10 ? image.duration / 1000 : 100); // as <img> does it
      image.close();
    }
    decoder.close();
    if (frames.length) return { frames, delays, plays: repetitionCount === Infinity ? 0 : repetitionCount + 1 };
  }
  const image = new Image();
  image.src = url;
  await new Promise((done, fail) => { image.onload = done; image.onerror = fail; }).catch(() => refuse("shows no such picture"));
  const { naturalWidth: width, naturalHeight: height } = image;
  if (width * height > pixels) refuse(`has ${width} × ${height} pixels, which is more than are judged`);
  if (width * height === 0) refuse("has no size");
  return { frames: [await png(image, width, height)], delays: [0], plays: 0 };
}
