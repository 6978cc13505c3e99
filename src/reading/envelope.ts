/** What a host writes around the output of a command, told by shape: it says nothing of what the command said. */

/** Lines before the output: an identifier, a time, a status, a count. */
const HEADING =
  /^(?:(?:chunk id|wall time|process (?:exited|running)|original token count|script (?:completed|failed|running)|exit code|command|duration|cwd|stdout|status)\b[^\n]{0,300}|output:?[^\S\n]*)(?:\n|$)/i;
const MOST_HEADINGS = 10;
/** `<returncode>0</returncode><output>…</output>`, `<stdout>…</stdout>`. */
const TAGS = /<\/?(?:output|stdout|stderr|returncode|result|exit_code)>/g;
/** Only a small record is parsed: a large one is the output itself. In characters. */
const RECORD_CHARS = 20_000;

/** The output without what stands around it, trimmed. Only the first lines and the tags are looked at. */
export function withoutEnvelope(text: string): string {
  let rest = text.trimStart();
  let isHeaded = false;
  for (let i = 0; i < MOST_HEADINGS; i++) {
    const line = HEADING.exec(rest);
    if (!line) break;
    isHeaded = true;
    rest = rest.slice(line[0].length).trimStart();
    if (/^output/i.test(line[0])) break;
  }
  // A command that prints `status: ok` and no more has said so.
  if (isHeaded && rest === '' && !/^output:?\s*$/im.test(text.slice(-40))) return text.trim();
  const record = recordIn(rest);
  if (record !== undefined) return record.trim();
  return rest.startsWith('<')
    ? rest
        .replace(/<returncode>\d+<\/returncode>/, '')
        .replaceAll(TAGS, '')
        .trim()
    : rest.trim();
}

function recordIn(text: string): string | undefined {
  if (!text.startsWith('{') || text.length > RECORD_CHARS) return undefined;
  try {
    const { output, stdout } = JSON.parse(text) as { output?: unknown; stdout?: unknown };
    const said = output ?? stdout;
    return typeof said === 'string' ? said : undefined;
  } catch {
    return undefined;
  }
}

/** The first text of a result of the Model Context Protocol that was handed on with all around it, as JSON or as Python prints it. */
const CONTENT_TEXT = /"text"\s*:\s*"((?:[^"\\]|\\.){2,2000})/;
const PRINTED_TEXT = /TextContent\(type='text', text=(?:'((?:[^'\\]|\\.){2,2000})|"((?:[^"\\]|\\.){2,2000}))/;
const PROTOCOL = /^\W{0,4}(?:"?(?:_?meta|content|isError|result)"?\s*[=:])/;

/** What such a result says, without the protocol's fields; any other text as it is. */
export function withoutProtocol(text: string): string {
  if (!PROTOCOL.test(text.slice(0, 80))) return text;
  const head = text.slice(0, 4_000);
  const hit = CONTENT_TEXT.exec(head) ?? PRINTED_TEXT.exec(head);
  const said = hit?.[1] ?? hit?.[2];
  return said === undefined ? text : said.replaceAll(/\\[nrt]/g, ' ').replaceAll(/\\(.)/g, '$1');
}
