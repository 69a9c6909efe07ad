// Saves what a view shows as a file.

/** Saves a text as a file. */
export function save(name: string, type: string, text: string): void {
  const at = URL.createObjectURL(new Blob([text], { type }));
  const a = document.createElement('a');
  a.href = at;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(at), 10_000);
}

/** Saves rows as CSV. A text that a spreadsheet would take for a formula gets an apostrophe. */
export function saveCSV(name: string, rows: (string | number | undefined)[][]): void {
  const cell = (v: string | number | undefined) => {
    const text = typeof v === 'string' && /^[=+\-@\t]/.test(v) ? `'${v}` : String(v ?? '');
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  save(`${name}.csv`, 'text/csv', rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n');
}

// Properties of shapes and texts that page.css sets, with the values that need no attribute.
const painted = { fill: 'rgb(0, 0, 0)', stroke: 'none', 'stroke-width': '', 'stroke-dasharray': 'none', 'stroke-opacity': '1', 'stroke-linecap': 'butt', 'paint-order': 'normal', 'vector-effect': 'none' };

/** Saves an SVG with the colours that the page gives it. */
export function saveSVG(name: string, svg: SVGSVGElement): void {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')];
  from.forEach((element, i) => {
    const look = /^(path|rect|circle|text)$/.test(element.nodeName) ? getComputedStyle(element) : undefined;
    for (const [property, usual] of look ? Object.entries(painted) : []) {
      const value = look?.getPropertyValue(property) ?? '';
      if (value !== usual && (property === 'fill' || look?.stroke !== 'none')) to[i]?.setAttribute(property, value);
    }
  });
  for (const element of [copy, ...to]) for (const attribute of ['class', 'role', 'tabindex', 'style']) element.removeAttribute(attribute);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('font-family', 'Helvetica, Arial, sans-serif');
  const back = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const box = svg.viewBox.baseVal;
  for (const [key, value] of Object.entries({ x: box.x, y: box.y, width: box.width, height: box.height, fill: getComputedStyle(document.documentElement).backgroundColor })) {
    back.setAttribute(key, String(value));
  }
  copy.prepend(back);
  save(`${name}.svg`, 'image/svg+xml', new XMLSerializer().serializeToString(copy));
}
