/** The rate of a cable in words. */
export const rate = (mbit: number | undefined): string => (mbit ? `${mbit / 1000} Gbit/s` : 'unknown');

/** A number with commas between thousands. */
export const count = (n: number): string => n.toLocaleString('en');

/** A time of the server as the clock of the reader has it; with the day if it is not today. */
export function clock(time: string): string {
  const at = new Date(time);
  const today = at.toDateString() === new Date().toDateString();
  return today ? at.toLocaleTimeString('en-GB') : at.toLocaleString('en-GB');
}

/** A time span in words. */
export function span(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 100) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** A time of a simulation, which comes in nanoseconds, with four digits. */
export function nano(ns: number): string {
  const [unit, size] = ns >= 1e9 ? ['s', 1e9] : ns >= 1e6 ? ['ms', 1e6] : ns >= 1e3 ? ['µs', 1e3] : ['ns', 1];
  return `${Number((ns / Number(size)).toPrecision(4))} ${unit}`;
}

/** Words of a command, in quotes for a shell where they need them. */
export const command = (words: string[]): string => words.map((w) => (/^[\w.,:=/-]+$/.test(w) ? w : `'${w.replaceAll("'", `'\\''`)}'`)).join(' ');

/** A port: leaf 3[20]. */
export const port = (p: { name: string; guid: string; port?: number }): string => `${p.name || p.guid}${p.port ? `[${p.port}]` : ''}`;

/** A port as the API finds it, whatever its name has in it. */
export const portKey = (p: { guid: string; port?: number }): string => `${p.guid}[${p.port ?? 0}]`;

/** A figure with six digits at most. */
export const figure = (n: number): string => String(Number(n.toPrecision(6)));
