export interface CartItem {
  id: string;
  name: string;
  price: number;
  quantity: number;
}

/** Price of everything in the cart. */
export function total(items: CartItem[]): number {
  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);
}

/** The cart without the item of that id. */
export function removeItem(items: CartItem[], id: string): CartItem[] {
  
}

/** Number of pieces in the cart. */
export function countPieces(items: CartItem[]): number {
  return items.reduce((sum, item) => sum + item.quantity, 0);
}
