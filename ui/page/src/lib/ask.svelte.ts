// A question to the server as a state: asking, an answer, or an error in words.
import { Refused } from './api';

export class Ask<T> {
  answer = $state.raw<T>();
  error = $state.raw<Refused>();
  asking = $state(false);

  /** Asks again whenever what `request` reads changes; it returns undefined to ask nothing. Call it
   * while a component is set up. */
  constructor(request: (signal: AbortSignal) => Promise<T> | undefined) {
    $effect(() => {
      const stop = new AbortController();
      const asked = request(stop.signal);
      this.error = undefined;
      this.asking = asked !== undefined;
      if (asked === undefined) this.answer = undefined;
      asked?.then(
        (answer) => !stop.signal.aborted && ((this.answer = answer), (this.asking = false)),
        (error) => !stop.signal.aborted && this.#fail(error),
      );
      return () => stop.abort();
    });
  }

  #fail(error: unknown) {
    this.answer = undefined;
    this.asking = false;
    this.error = error instanceof Refused ? error : new Refused(0, String(error));
  }
}
