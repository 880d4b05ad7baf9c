/** Joins class names; what is false or absent is left out. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** On a phone a small thing is pressed from around it too, within the height of a bar or a row. */
export const FOR_THUMBS =
  'relative max-tablet:after:absolute max-tablet:after:inset-x-0 max-tablet:after:-inset-y-1.5';
