// Schedules that were chosen as files. A link has their names alone; their texts stay in this tab of
// the browser, where a reload finds them again.
import type { Application } from './api';

const key = (name: string) => `schedule ${name}`;

/** Keeps the text of a file; returns the name that it has in a link. */
export async function keep(file: File): Promise<string> {
  const name = file.name.replace(/[;\n@]/g, '_');
  sessionStorage.setItem(key(name), await file.text());
  return name;
}

/** The schedules that programs name. A program that is neither a formula nor kept is an error. */
export function schedulesOf(programs: string[]): NonNullable<Application['schedules']> {
  return [...new Set(programs.map((p) => p.replace(/@[^@]*$/, '')))].flatMap((name) => {
    const text = sessionStorage.getItem(key(name));
    if (text !== null) return [{ name, text }];
    if (/^[^(]+\.[^(]+$/.test(name)) throw new Error(`Choose the file ${name} again: a link has its name, not its text.`);
    return [];
  });
}
