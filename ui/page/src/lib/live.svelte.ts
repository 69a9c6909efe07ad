// A running manager as it is now: its status, asked for again and again, and its log, as lines of
// a stream that goes on where it broke off. Both go on when the manager restarts.
import { client, Refused, take, type LogLine, type Status } from './api';
import { lines } from './lines';

/** A line of the log, with a key that no other line of the page has. */
export type Line = LogLine & { key: number };

/** The lines that the page keeps: as many as the manager. */
export const kept = 4096;
const often = 2000; // ms between two questions for the status
const longest = 15_000; // ms between two attempts
const old = 10; // seconds after which the page says that it is old

/** What a stream has said so far. */
type Place = { run: string; number: number };

export class Live {
  status = $state.raw<Status>();
  lines = $state.raw<Line[]>([]); // oldest first
  lost = $state(0); // lines that were no longer kept when the page came to them
  restarts = $state(0); // of the manager, while the page watches
  error = $state.raw<Refused>(); // why there is no answer now
  now = $state(Date.now());
  #answered = $state(Date.now());
  #stop = new AbortController();
  #stream: AbortController | undefined;
  #place: Place = { run: '', number: 0 };
  #waiting: Line[] = [];
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Seconds since the last answer. */
  age = $derived(Math.max(0, Math.round((this.now - this.#answered) / 1000)));
  isOld = $derived(this.age > old || this.error !== undefined);

  #refused: () => void;

  /** Call it while a component is set up. refused is called when the session has ended. */
  constructor(refused: () => void) {
    this.#refused = refused;
    const clock = setInterval(() => (this.now = Date.now()), 1000);
    $effect(() => {
      void this.ask();
      void this.#follow();
      return () => (this.#stop.abort(), this.#stream?.abort(), clearTimeout(this.#timer), clearInterval(clock));
    });
  }

  /** Asks for the status now, and then again and again. */
  async ask(failures = 0) {
    clearTimeout(this.#timer);
    try {
      this.status = await take(client.GET('/v1/status', { signal: this.#stop.signal }));
      this.#answered = this.now = Date.now();
      // A manager that was gone may have left the stream hanging.
      if (failures || (this.#place.run && this.#place.run !== this.status.run)) this.#stream?.abort();
      this.error = undefined;
      failures = 0;
    } catch (cause) {
      if (this.#stop.signal.aborted) return;
      this.error = cause instanceof Refused ? cause : new Refused(0, String(cause));
      if (this.error.status === 401) this.#refused();
      failures++;
    }
    this.#timer = setTimeout(() => void this.ask(failures), Math.min(longest, often * 1.5 ** failures));
  }

  /** Follows the log until the page leaves the view. */
  async #follow() {
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      this.#stream = new AbortController();
      try {
        await this.#read(this.#stream.signal, () => (failures = 0));
      } catch {
        // The status says why.
      }
      this.#flush();
      await new Promise((done) => setTimeout(done, Math.min(longest, 300 * 2 ** failures++)));
    }
  }

  async #read(signal: AbortSignal, begun: () => void) {
    const query = new URLSearchParams({ follow: 'true' });
    if (this.#place.run) {
      query.set('since', String(this.#place.number));
      query.set('run', this.#place.run);
    }
    const answer = await fetch(`/v1/events?${query}`, { signal });
    if (!answer.ok || !answer.body) throw new Refused(answer.status, answer.statusText);
    begun();
    const run = answer.headers.get('Weft-Run') ?? '';
    if (run !== this.#place.run) {
      if (this.#place.run) this.restarts++;
      this.#place = { run, number: 0 };
    }
    for await (const text of lines(answer.body)) this.#take(JSON.parse(text) as LogLine);
  }

  #take(line: LogLine) {
    if (line.number <= this.#place.number) return;
    if (this.#place.number) this.lost += line.number - this.#place.number - 1;
    this.#place.number = line.number;
    if (!this.#waiting.length) setTimeout(() => this.#flush(), 200); // many lines at once are shown at once
    this.#waiting.push({ ...line, key: this.#next++ });
  }

  #flush() {
    if (!this.#waiting.length) return;
    this.lines = [...this.lines, ...this.#waiting].slice(-kept);
    this.#waiting = [];
  }
}
