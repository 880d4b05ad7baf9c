/**
 * A message while it is made: in one piece, optional parts added where there are any. Orders make
 * several of these each, and a copy for every optional part would be felt.
 */
export type Building<Message> = { -readonly [Key in keyof Message]: Message[Key] };
