/**
 * Room is made for who would hold a small part of what the greediest holds, of bodies and of streams alike. Were it made for
 * more, a few that all hold much would have each other cut for ever, and everything made anew.
 */
export const GREEDY_FACTOR = 8;
