// Returns what is wrong with the page for readers who do not see it, or see it badly: contrast, names, captions, links that lead away.
() => {
  const found = new Set();
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const color = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  // WCAG 2.2, relative luminance.
  const light = (parts) => {
    const [red, green, blue] = parts.slice(0, 3).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  // A translucent background lets those behind it through.
  const ground = (node) => {
    const above = [];
    let under = [255, 255, 255];
    for (; node; node = node.parentElement) {
      const parts = color(getComputedStyle(node).backgroundColor);
      if (parts[3] > 250) {
        under = parts;
        break;
      }
      if (parts[3]) above.push(parts);
    }
    return above.reduceRight((back, parts) => back.map((part, at) => part + (parts[at] - part) * parts[3] / 255), under.slice(0, 3));
  };
  const isSeen = (node) => node.checkVisibility({ checkOpacity: true }) && node.getBoundingClientRect().width > 1 && !node.closest(".unseen, [aria-busy]");
  const short = (node) => node.outerHTML.slice(0, 100);
  const name = (node) => [node.getAttribute("aria-label"), node.textContent, node.alt, ...[...(node.labels ?? [])].map((label) => label.textContent)].join("").trim();

  for (const node of document.querySelectorAll("body *")) {
    if (!isSeen(node) || ![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
    const [high, low] = [light(color(getComputedStyle(node).color)), light(ground(node))].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.add(`contrast ${contrast.toFixed(2)}: ${short(node)}`);
  }
  for (const node of document.querySelectorAll("a, button, input, select, textarea, summary, dialog, [tabindex='0'], [role=img], [role=region]")) {
    if (isSeen(node) && !name(node)) found.add(`no name: ${short(node)}`);
  }
  for (const node of document.querySelectorAll("img:not([alt])")) found.add(`no alternative: ${short(node)}`);
  for (const node of document.querySelectorAll("table")) if (!node.caption?.textContent) found.add(`no caption: ${short(node)}`);
  for (const node of document.querySelectorAll("th")) if (!name(node)) found.add(`a column or row without a title: ${short(node)}`);
  for (const node of document.querySelectorAll("table table, h2 ~ h1, tr tr")) found.add(`not in its place: ${short(node)}`);
  for (const node of document.querySelectorAll("a[href]")) if (!node.getAttribute("href").startsWith("#")) found.add(`leads away: ${short(node)}`);
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  if (new Set(ids).size < ids.length) found.add("two elements have one id");
  if (document.querySelectorAll("h1").length !== 1) found.add("there is not one title");
  if (document.querySelector("main script, main style, main iframe, main object")) found.add("markup of others");
  if (document.documentElement.scrollWidth > innerWidth) found.add(`wider than the window: ${document.documentElement.scrollWidth}`);
  return [...found];
}
