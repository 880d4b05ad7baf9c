/** An interface as it stands in a URL. */
export function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
