// The conditions of a chart as a text for links: COLUMN~VALUE~VALUE;COLUMN~VALUE.

export interface Condition {
  column: string;
  values: string[];
}

const escape = (text: string) => encodeURIComponent(text).replaceAll('~', '%7E');

export const toText = (list: Condition[]): string => list.map((c) => [c.column, ...c.values].map(escape).join('~')).join(';');

export function fromText(text: string): Condition[] {
  try {
    return text.split(';').filter(Boolean).map((part) => {
      const [column = '', ...values] = part.split('~').map(decodeURIComponent);
      return { column, values };
    });
  } catch {
    return []; // not a link of this page
  }
}
