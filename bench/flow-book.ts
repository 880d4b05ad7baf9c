/** What runs a flow. Ids are dense from 1 on. */
export type FlowBook = {
  place(id: number, isBuy: boolean, price: number, size: number): void;
  cancel(id: number): void;
  amend(id: number, isBuy: boolean, price: number, size: number): void;
};
