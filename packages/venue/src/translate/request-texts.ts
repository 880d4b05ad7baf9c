import type { EntryTexts } from './outcome-to-wire.ts';
import type { EntryText } from './reject-to-wire.ts';

/** The entries of an action in the client's own spelling, which the engine's numbers have lost. */

type AnyOrder = {
  readonly p: string;
  readonly s: string;
  readonly c?: string | undefined;
  readonly t: { readonly limit?: { readonly expireTime?: number | undefined } | undefined };
};

type AnyAction = {
  readonly type: string;
  readonly orders?: readonly AnyOrder[];
  readonly cancels?: readonly { readonly o?: number | string; readonly cloid?: string }[];
};

/** From an action of /exchange. */
export function actionTexts(action: AnyAction): EntryTexts {
  return (index) => {
    const order = action.orders?.[index];
    if (order !== undefined) return orderText(order, index);
    const cancel = action.cancels?.[index];
    if (cancel === undefined) return undefined;
    const field = `cancels[${index}]`;
    return {
      field,
      ...(cancel.o === undefined ? {} : { orderId: Number(cancel.o) }),
      ...(cancel.cloid === undefined ? {} : { clientOrderId: cancel.cloid }),
    };
  };
}

/** From the body of a logged request, which is read only when a text is needed. */
export function requestTexts(request: string | undefined): EntryTexts {
  let texts: EntryTexts | undefined;
  return (index) => {
    if (request === undefined) return undefined;
    texts ??= actionTexts((JSON.parse(request) as { action: AnyAction }).action);
    return texts(index);
  };
}

function orderText({ p, s, c, t }: AnyOrder, index: number): EntryText {
  const expireMs = t.limit?.expireTime;
  return {
    field: `orders[${index}]`,
    price: p,
    size: s,
    ...(c === undefined ? {} : { clientOrderId: c }),
    ...(expireMs === undefined ? {} : { expireMs }),
  };
}
