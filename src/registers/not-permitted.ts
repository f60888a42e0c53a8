/** Why a document was not registered when `Attempt.mayRegister` was answered with no. For the cashier. */
export const NOT_PERMITTED = "разрешение на печать не получено";
