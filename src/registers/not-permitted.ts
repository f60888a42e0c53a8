/** For the cashier: `Attempt.mayRegister` returned false. */
export const NOT_PERMITTED = "разрешение на печать не получено";

/** For the cashier: nothing was sent, because another process may hold the register by now. */
export const NOT_HELD = "кассой управляет другой сервер";
