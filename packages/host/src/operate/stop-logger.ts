/** For the library that stops a program: a stop that fails, takes too long or is interrupted is reported. */
export function stopLogger(report: (why: string) => void): { error(why: unknown): void } {
  return {
    error: (why) => report(why instanceof Error ? (why.stack ?? why.message) : String(why)),
  };
}
