/** For the cashier: `Attempt.mayRegister` returned false, or the agent did not get `go`. */
export const NOT_PERMITTED = "разрешение на печать не получено";

/** For the cashier: a call or write was not sent, because another process may hold the register by now. */
export const NOT_HELD = "кассой управляет другой сервер";
