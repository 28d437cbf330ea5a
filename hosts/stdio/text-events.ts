/**
 * The data of each event of a `text/event-stream`, without comments and empty events.
 * Source: WHATWG HTML, server-sent events. Only `data` fields matter to the tool protocol.
 */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      else if (line === '' && data.length > 0) {
        const whole = data.join('\n');
        data = [];
        if (whole !== '') yield whole;
      }
    }
  }
}
