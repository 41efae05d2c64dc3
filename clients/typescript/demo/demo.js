// A list of pictures: a name, and the attributes of the element. A server that has the keys makes it.
const pictures = await (await fetch("pictures.json")).json();
const template = document.querySelector("template");

for (const { name, far, ...attributes } of pictures) {
  const figure = template.content.firstElementChild.cloneNode(true);
  const image = figure.querySelector("tintype-image");
  for (const [attribute, value] of Object.entries(attributes)) image.setAttribute(attribute, value);
  image.id = name.replaceAll(" ", "-");
  figure.classList.toggle("far", far === true);
  figure.querySelector("figcaption").textContent = name;
  document.querySelector("main").append(figure);
}
