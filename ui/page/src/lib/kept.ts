// Answers of questions that were asked before anyone needed them (early.ts). The first who asks the
// same takes such an answer. A failure is forgotten at once: after a login it would be wrong. So is
// an answer a few seconds later, when it is old.
const kept = new Map<string, Promise<unknown>>();

/** Keeps the answer to a question. */
export function keep<T>(question: string, answer: Promise<T>): Promise<T> {
  kept.set(question, answer);
  const forget = () => kept.delete(question);
  answer.then(() => setTimeout(forget, 5000), forget);
  return answer;
}

/** Takes the kept answer to a question, or asks it. */
export function takeOrAsk<T>(question: string, ask: () => Promise<T>): Promise<T> {
  const answer = kept.get(question) as Promise<T> | undefined;
  kept.delete(question);
  return answer ?? ask();
}
