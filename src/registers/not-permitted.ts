/** Why a document was not registered when `Attempt.mayRegister` was answered with no. For the cashier. */
export const NOT_PERMITTED = "разрешение на печать не получено";

/** Why nothing is sent to a register that another process may have by now. For the cashier. */
export const NOT_HELD = "кассой управляет другой сервер";
