// The lines of a picture, drawn without a component each: they are most of its elements, and the
// time to the first paint is theirs.
import type { Line } from './api';

/** The shape of a line. */
export function pathOf(line: Line): string {
  const at = (line.path ?? []).map((p) => `${p.x} ${p.y}`);
  return at.length === 4 ? `M${at[0]}C${at.slice(1).join(' ')}` : `M${at.join('L')}`;
}

// Lines of these classes have a halo, so that they stand out from those that they cross.
const standing = new Set(['hottest', 'failed', 'missing', 'drained', 'odd']);

/** Draws lines into a group, in place of what it has; data-line is the index of a line. */
export function drawLines(group: SVGGElement, lines: Line[]): void {
  const all = document.createDocumentFragment();
  const add = (kind: string, d: string, width: number, index?: number) => {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('class', kind);
    path.setAttribute('d', d);
    path.setAttribute('stroke-width', String(width));
    if (index !== undefined) path.setAttribute('data-line', String(index));
    all.append(path);
  };
  lines.forEach((line, i) => {
    const d = pathOf(line);
    if (standing.has(line.class)) add(`halo ${line.class}-halo`, d, line.width + 4);
    add(line.class, d, line.width, i);
  });
  group.replaceChildren(all);
}

/** Marks the lines that have a name among the chosen ones. */
export function markLines(group: SVGGElement, lines: Line[], chosen: Set<string>): void {
  for (const path of group.querySelectorAll('.chosen')) path.classList.remove('chosen');
  if (!chosen.size) return;
  lines.forEach((line, i) => {
    if (line.links?.some((n) => chosen.has(n))) group.querySelector(`[data-line="${i}"]`)?.classList.add('chosen');
  });
}
