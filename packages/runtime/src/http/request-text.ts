import type { Outgoing } from './sender.ts';

// A line break in a header would begin another one, or another request.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const unsendable = /[\u0000-\u0008\u000a-\u001f\u007f]/;
/** Visible ASCII, which is all a path may have. */
const path = /^\/[\u0021-\u007e]*$/;

/** A request as it stands on the wire. Throws for what cannot be said in HTTP, before a byte of it is sent. */
export function requestText({ method, path: target, headers, body }: Outgoing, host: string): string {
  if (!path.test(target)) throw new Error(`the path ${JSON.stringify(target)} has characters that cannot be sent`);
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) {
    const value = headers[name] as string | string[];
    if (typeof value === 'string') text += headerLine(name, value);
    else for (const each of value) text += headerLine(name, each);
  }
  if (body !== null) return `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  return method === 'GET' || method === 'DELETE' ? `${text}\r\n` : `${text}content-length: 0\r\n\r\n`;
}

function headerLine(name: string, value: string): string {
  if (unsendable.test(value)) throw new Error(`the header ${name} has characters that cannot be sent`);
  return `${name}: ${value}\r\n`;
}
