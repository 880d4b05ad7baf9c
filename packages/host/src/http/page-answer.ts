import type { IncomingMessage } from 'node:http';

/** What is sent: a text or a file, or nothing to who has it. */
export type PageAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
};

/** A page for people. */
export type ShownPage = {
  /** Undefined for what it has nothing at. */
  answer(request: IncomingMessage, path: string): PageAnswer | undefined;
};

/** A text of Markdown, where there is one. */
export function pageAnswerOf(page: string | undefined): PageAnswer | undefined {
  if (page === undefined) return undefined;
  return { status: 200, headers: { 'content-type': 'text/markdown; charset=utf-8' }, body: page };
}
