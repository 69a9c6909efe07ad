/** The lines of a stream, as they come. */
export async function* lines(from: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = '';
  const reader = from.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const texts = (rest + part.value).split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) if (text) yield text;
  }
}
