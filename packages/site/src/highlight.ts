/** Marks up code with classes, in the same way for all languages in the documentation. */

const KEYWORDS =
  /^(?:as|async|await|break|case|catch|class|const|continue|def|default|do|elif|else|except|export|extends|finally|for|from|function|if|import|in|interface|is|let|new|not|of|or|and|pass|raise|return|struct|switch|throw|try|type|typeof|while|with|yield|true|false|null|undefined|True|False|None|contract|event|mapping|uint256|address)$/;

const COMMENT: Readonly<Record<string, string>> = {
  ts: String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`,
  sh: String.raw`(?<=^|\s)#[^\n]*`,
  none: String.raw`(?!)`,
};
const COMMENTS_OF: Readonly<Record<string, keyof typeof COMMENT>> = {
  js: 'ts',
  ts: 'ts',
  typescript: 'ts',
  solidity: 'ts',
  python: 'sh',
  sh: 'sh',
  toml: 'sh',
  yaml: 'sh',
};
const STRING = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|${'`'}(?:\\.|[^${'`'}\\])*${'`'}`;
const NUMBER = String.raw`\b(?:0x[0-9a-fA-F]+|\d[\d_]*(?:\.\d+)?)\b`;
const WORD = String.raw`\b[A-Za-z_]\w*\b`;

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * Returns the HTML of code. Code in languages without a grammar, such as `text`, is not marked up.
 */
export function highlighted(code: string, language: string): string {
  const kind = COMMENTS_OF[language] ?? (language === 'json' ? 'none' : undefined);
  if (kind === undefined) return escaped(code);
  const pattern = new RegExp(`(${COMMENT[kind]})|(${STRING})|(${NUMBER})|(${WORD})`, 'gm');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [text, comment, string, number] = match;
    const rest = code.slice(match.index + text.length);
    const mark =
      comment !== undefined
        ? 'comment'
        : string !== undefined
          ? /^\s*:/.test(rest) && language === 'json'
            ? 'key'
            : 'string'
          : number !== undefined
            ? 'number'
            : KEYWORDS.test(text) && language !== 'sh'
              ? 'keyword'
              : undefined;
    html += escaped(code.slice(end, match.index));
    html += mark === undefined ? escaped(text) : `<span class="c-${mark}">${escaped(text)}</span>`;
    end = match.index + text.length;
  }
  return html + escaped(code.slice(end));
}
