/** Whether a name has in it what somebody looks for; everything has nothing in it. */
export function isLike(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted.trim().toLowerCase());
}
