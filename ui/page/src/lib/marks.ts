// Marks on the picture: cables with a meaning, by their ports.
import type { Hop, PortName, Trace } from './api';

/** A marked cable: the names of its ports, a class of page.css, and a text for its tooltip. */
export interface Mark {
  ports: string[];
  class: string;
  says: string;
}

/** The name of a port, as the picture has it. */
export const portOf = (p: PortName): string => `${p.guid}[${p.port ?? 0}]`;

/** A port in a text. */
export const short = (p: PortName): string => `${p.name || p.guid}${p.port ? `[${p.port}]` : ''}`;

/** A mark for a cable. */
export const mark = (cable: Pick<Hop, 'from' | 'to'>, kind: string, says: string): Mark => ({
  ports: [portOf(cable.from), portOf(cable.to)],
  class: kind,
  says: `${says}: ${short(cable.from)} → ${short(cable.to)}`,
});

/** Marks for all cables of paths. */
export const marksOf = (traces: Trace[] | null | undefined, kind: string, says: string): Mark[] =>
  (traces ?? []).flatMap((t) => (t.hops ?? []).map((hop) => mark(hop, kind, says)));
