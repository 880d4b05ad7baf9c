/** The processes of a venue that clients can reach now, this one among them, and how far each is. */
export type ReplicaList = () => readonly {
  readonly replica: string;
  readonly url: string;
  readonly height: number;
}[];
