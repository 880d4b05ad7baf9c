/**
 * What a deployment is called in all that is signed for it. Play money of a venue's own goes by the name
 * of its network; every other venue has a word of its operator and digits drawn for its data folder, since
 * what is signed for one name executes wherever that name serves.
 */

/** The operator's word; the docs advise the domain. */
export const SERVICE_WORD = /^[A-Za-z0-9][A-Za-z0-9.]{2,54}$/;

const SERVICE_NAME = /^([A-Za-z0-9][A-Za-z0-9.]{2,54})-[0-9a-f]{8}$/;

/** The random part of a name, in bytes: as many as make 8 hexadecimal digits. */
export const SERVICE_DIGITS_BYTES = 4;

/** The name of a word with its digits, `example.org-3fa9c1d2`. */
export function serviceName(word: string, digits: string): string {
  return `${word}-${digits}`;
}

/** The word of a name; undefined for what is no name of a deployment of its own. */
export function serviceWordOf(name: string): string | undefined {
  return SERVICE_NAME.exec(name)?.[1];
}
