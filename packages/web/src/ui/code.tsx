/** A hash, a key or an address in full, to be selected and copied. */
export function Code({ children }: { readonly children: string }) {
  return <code className="font-mono text-12 break-all">{children}</code>;
}
