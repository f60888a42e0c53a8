/** The HTTP status and the texts of a code. `{0}`, `{1}` and `{2}` are placeholders for details. */
interface ErrorText {
  readonly status: number;
  readonly ru: string;
  readonly en: string;
}

/**
 * The codes of the sandbox, in rows `code status | Russian | English`. They come from json-api 10.3, except 55005 (json-api 3) and 60001
 * (json-api 13.13).
 */
const ROWS = `
1000 404 | Ошибка в адресе: '{0}' не является идентификатором | Bad address: '{0}' is not an id
1002 404 | Неизвестный путь: {0} | Unknown path: {0}
1005 412 | Неизвестный тип: '{0}' | Unknown entity type: '{0}'
1006 400 | Идентификатор в адресе недопустим при создании объекта | An id in the path is not allowed on creation
1007 412 | Неизвестное поле '{0}' | Unknown field '{0}'
1010 405 | Удаление недоступно для типа '{0}' | Deleting is not offered for type '{0}'
1011 405 | Создание недоступно для типа '{0}' | Creating is not offered for type '{0}'
1012 400 | Не указан идентификатор объекта | The object's id is missing
1014 412 | Ошибка фильтрации: неверное значение '{1}' параметра '{0}' | Filter: bad value '{1}' of '{0}'
1017 403 | Нет прав на изменение объекта | No right to edit the object
1018 403 | Нет прав на удаление объекта | No right to delete the object
1020 404 | Родительский объект с идентификатором '{0}' не найден | Parent object '{0}' does not exist
1021 404 | Объект с идентификатором '{0}' не найден | Object '{0}' does not exist
1023 409 | Удаление невозможно: дочерний объект используется | Cannot delete: a child object is in use
1024 412 | Стандартный объект нельзя изменить | A standard object cannot be changed
1025 412 | Стандартный объект нельзя удалить | A standard object cannot be deleted
1026 405 | Изменение недоступно для типа '{0}' | Updating is not offered for type '{0}'
1027 400 | В теле запроса нет объектов | The request body holds no objects
1028 409 | Удаление невозможно: объект используется | Cannot delete: the object is in use
1029 412 | Шаблон недоступен для типа '{0}' | A template is not offered for type '{0}'
1030 412 | Ошибка фильтрации: условие '{0}' указано несколько раз | Filter: condition '{0}' is repeated
1031 412 | Шаблон не может быть создан по указанным объектам | A template cannot be made from these objects
1034 412 | Ошибка фильтрации: {0} | Filter: {0}
1035 412 | Ошибка фильтрации: '{1}' в '{0}' не является датой | Filter: '{1}' in '{0}' is not a date
1037 415 | Неподдерживаемый тип содержимого: '{0}' | Content type '{0}' is not supported
1039 405 | Метод {0} недоступен для этого адреса | Method {0} is not offered here
1040 412 | Неизвестный параметр '{0}' | Unknown parameter '{0}'
1041 412 | Ошибка фильтрации: значение '{1}' параметра '{0}' не входит в список допустимых | Filter: '{1}' is not in the list of values of '{0}'
1042 412 | Ошибка сортировки: неверное направление '{0}' | Order: bad direction '{0}'
1044 413 | Размер запроса больше допустимого ({0} МБ) | The request is larger than allowed ({0} MB)
1045 403 | Нет прав на создание объекта | No right to create the object
1046 412 | Позиция '{0}' не принадлежит этому документу | Line '{0}' does not belong to this document
1047 412 | Поле syncId нельзя изменить | syncId cannot be changed
1048 429 | Слишком много неудачных попыток входа | Too many failed logins
1049 429 | Превышено ограничение на количество запросов | Request rate exceeded
1052 400 | Ошибка формата: '{1}' в поле '{0}' не является UUID | Format: '{1}' in '{0}' is not a UUID
1056 401 | Ошибка аутентификации: {0} | Authentication failed: {0}
1057 412 | Объект с syncId '{0}' не найден | No object has syncId '{0}'
1058 400 | Строка запроса не может быть прочитана | The query cannot be decoded
1059 400 | Некорректный сервер в идентификаторе объекта: {1} | The identifier of an object names another server: {1}
1060 400 | Тип '{2}' не соответствует ссылке '{1}' | Type '{2}' does not match href '{1}'
1062 400 | Неверное значение заголовка Accept: '{0}' | Bad Accept header: '{0}'
1063 412 | Ошибка сортировки: неизвестное поле '{0}' | Order: unknown field '{0}'
1066 412 | Для типа '{0}' нет корзины | Type '{0}' has no recycle bin
1067 412 | Корзина отключена | The recycle bin is switched off
1068 412 | Точка продаж отключена | The point of sale is switched off
1073 429 | Превышено ограничение на количество параллельных запросов | Too many parallel requests
1075 403 | Нет прав на изменение поля '{0}' | No right to change field '{0}'
1076 412 | Имя файла не указано | The file has no name
1077 412 | Содержимое файла не указано | The file has no content
1079 412 | Размер файла больше 10 МБ | The file is larger than 10 MB
1080 412 | Файлов больше допустимого: {0} | More files than allowed: {0}
1082 412 | В одном запросе больше 10 файлов | More than 10 files in one request
1084 412 | Неверное значение '{1}' параметра '{0}' | Bad value '{1}' of parameter '{0}'
1089 412 | Поле '{0}' нельзя развернуть | '{0}' cannot be expanded
1091 412 | Неверное значение параметра '{0}' | Bad value of parameter '{0}'
1095 503 | Сервис временно недоступен | Temporarily unavailable
1096 412 | Ошибка сортировки: {0} | Order: {0}
1999 500 | Неизвестная ошибка | Unknown error
2000 400 | Ошибка формата: {0} | Format: {0}
2001 400 | Ошибка формата: тело запроса не является JSON | Format: the body is not JSON
2002 400 | Ошибка формата: значение поля '{0}' не является объектом | Format: '{0}' is not an object
2003 400 | Ошибка формата: значение поля '{0}' не является массивом | Format: '{0}' is not an array
2004 400 | Ошибка формата: массивы массивов недопустимы | Format: arrays of arrays are not allowed
2005 400 | Ошибка формата: тело запроса не является объектом или массивом | Format: the body is neither an object nor an array
2006 400 | Ошибка формата: вложенность больше 10 | Format: nested deeper than 10
2007 413 | Количество элементов больше 1000 | More than 1000 elements
2008 400 | Ошибка формата: для шаблона передан массив | Format: an array where a template is asked for
2009 400 | Ошибка формата: передан массив вместо объекта | Format: an array instead of an object
2010 400 | Ошибка формата: в meta поля '{0}' нет href | Format: meta of '{0}' has no href
2011 400 | Ошибка формата: в meta поля '{0}' нет type | Format: meta of '{0}' has no type
2012 400 | Ошибка формата: неизвестный type '{1}' в meta поля '{0}' | Format: unknown type '{1}' in meta of '{0}'
2013 400 | Ошибка формата: объект по ссылке '{1}' поля '{0}' не найден | Format: '{0}' points at an object that does not exist: '{1}'
2014 400 | Ошибка формата: в поле '{0}' нет meta | Format: '{0}' has no meta
2015 400 | Ошибка формата: значение поля '{0}' не является строкой даты | Format: '{0}' is not a date
2016 400 | Ошибка формата: значение поля '{0}' не соответствует типу {1} | Format: the value of field '{0}' is not a {1}
2022 413 | Количество позиций документа больше 1000 | More than 1000 lines in a document
2024 400 | Ошибка формата: недопустимый тип '{1}' в поле '{0}' | Format: type '{1}' is not allowed in '{0}'
2026 400 | Ошибка формата: массив не поддерживается | Format: an array is not supported here
2027 400 | Ошибка формата: поле '{0}' ссылается на другой тип '{1}' | Format: '{0}' points at another type '{1}'
2029 400 | Ошибка формата: недопустимое значение '{1}' поля '{0}' | Format: value '{1}' of '{0}' is not allowed
2031 400 | Ошибка формата: дата '{1}' в поле '{0}' слишком большая | Format: date '{1}' in '{0}' is too large
3000 412 | Ошибка сохранения объекта: поле '{0}' не может быть пустым или отсутствовать | Cannot save: field '{0}' must not be empty or absent
3001 412 | Поле '{0}' нельзя изменить | Field '{0}' cannot be changed
3002 412 | Значение поля '{0}' не может быть отрицательным | Field '{0}' must not be negative
3003 412 | Значение поля '{0}' должно быть больше нуля | Field '{0}' must be above zero
3004 412 | Поле '{0}' отличается от документа-основания | Field '{0}' differs from the basis document
3005 412 | Значение '{1}' поля '{0}' не входит в список допустимых | Value '{1}' of '{0}' is not in the list
3006 412 | Нарушена уникальность значения поля '{0}' | The value of '{0}' is not unique
3007 412 | Объект не может быть сохранён: {0} | The object is not valid: {0}
3008 412 | Значение поля '{0}' слишком большое | The value of '{0}' is too large
3011 412 | Штрихкод '{1}' слишком длинный | Barcode '{1}' is too long
3012 412 | Элемент массива '{0}' не может быть пустым или простым значением | An element of array '{0}' must be an object
3013 412 | Идентификатор '{1}' повторяется в массиве | Id '{1}' comes twice in the array
3014 412 | Неверный GTIN '{1}' | Bad GTIN '{1}'
3015 412 | Неверный адрес электронной почты '{1}' | Bad e-mail '{1}'
3016 412 | Неверный формат поля '{0}' | Bad format of '{0}'
3027 412 | Неверное значение заголовка '{0}' | Bad value of header '{0}'
3028 412 | Поля конфликтуют: {0} | Fields conflict: {0}
3030 412 | Неверное значение '{1}' заголовка '{0}' | Bad value '{1}' of header '{0}'
3040 412 | Длина поля '{0}' больше {1} символов | Field '{0}' is longer than {1} characters
3042 412 | Параметр fields принимает одно значение | Parameter fields takes one value
3043 412 | Неизвестное значение '{0}' параметра fields | Unknown value '{0}' of parameter fields
3048 412 | Неверные серийные номера: {0} | Bad serial numbers: {0}
4001 412 | Тариф не позволяет включить точку продаж | The plan allows no more active points of sale
4002 412 | Не указаны точки продаж для фискализации | No points of sale that fiscalise are given
4003 412 | Группа и вложенная в неё группа указаны вместе | A folder is given together with its own child
4004 412 | Валюта основного счёта организации не совпадает с валютой учёта | The organization's main account is not in the account currency
10000 412 | Не указана характеристика модификации | The characteristic is not named
10001 412 | Значение характеристики '{1}' не указано | The characteristic '{1}' has no value
11000 412 | Статус с именем '{1}' уже существует | A state '{1}' exists already
11001 412 | Неверный тип статуса '{1}' | Bad type of state '{1}'
11002 412 | Статус не принадлежит этому типу | The state belongs to another type
12000 412 | Смена с таким syncId находится в корзине | A shift with this syncId is in the recycle bin
12001 412 | Смена с таким syncId уже закрыта | A shift with this syncId is closed already
12026 412 | Комиссия больше оборота | The fee is above the turnover
13000 412 | Не указан документ отчёта | The report's document is not given
13001 412 | Неверный документ отчёта | Bad document of the report
13002 412 | Документ отчёта не найден | The report's document does not exist
13004 403 | Нет прав на просмотр остатков | No right to view stock
13005 412 | Неверный параметр отчёта '{0}' | Bad parameter '{0}' of the report
14000 412 | Дополнительное поле '{0}' принадлежит другому типу | Additional field '{0}' belongs to another type
14001 412 | Поле типа файл нельзя изменить таким образом | A file field cannot be changed this way
14002 412 | У типа '{0}' нет дополнительных полей | Type '{0}' has no additional fields
14003 412 | Дополнительное поле '{0}' не найдено | Additional field '{0}' does not exist
14004 412 | Для значения справочника нужно meta или name | A dictionary's value needs meta or name
14005 412 | Файл дополнительного поля слишком большой | The file is too large
14006 412 | У файла дополнительного поля нет имени | The file has no name
14007 412 | У файла дополнительного поля нет содержимого | The file has no content
14009 412 | Не указано значение дополнительного поля '{0}' | Additional field '{0}' has no value
14010 403 | Дополнительные поля изменяет только администратор | Only an administrator changes additional fields
14011 412 | Неверное meta дополнительного поля | Bad meta of an additional field
14013 403 | Дополнительные поля удаляет только администратор | Only an administrator deletes additional fields
15000 412 | Модификация с такими характеристиками уже существует | A variant with these characteristics exists
15001 412 | У модификации нет характеристик | The variant has no characteristics
15002 412 | Модификация услуги невозможна | A service cannot have variants
15004 412 | Характеристика '{1}' повторяется | Characteristic '{1}' is repeated
16000 412 | Алкоголь: значение поля '{0}' должно быть больше нуля | Alcohol: '{0}' must be above zero
16001 412 | Весовой товар не может учитываться по серийным номерам: {0} | Weighed goods have no serial numbers: {0}
16002 412 | Учёт по серийным номерам нельзя отключить | Serial accounting cannot be switched off
16008 412 | Для упаковки нужна единица измерения товара | A pack needs the product's unit
16010 412 | Не указана ставка НДС | The VAT rate is missing
16011 412 | Товар на розлив не может учитываться по серийным номерам: {0} | Goods on tap have no serial numbers: {0}
16012 412 | Товар на розлив не может быть весовым: {0} | Goods on tap are not weighed: {0}
16013 412 | Весовой товар не может быть средством защиты: {0} | Weighed goods are no protective equipment: {0}
16014 412 | Товар на розлив не может быть средством защиты: {0} | Goods on tap are no protective equipment: {0}
16015 412 | Товар на розлив не может быть маркированным: {0} | Goods on tap are not marked: {0}
16103 412 | Маркированный товар не может учитываться по серийным номерам: {0} | Marked goods have no serial numbers: {0}
16105 412 | Весовой товар не может быть маркированным: {0} | Weighed goods are not marked: {0}
16106 412 | Неизвестный тип маркировки '{1}' | Unknown marking '{1}'
16113 412 | Маркированный товар не может быть средством защиты: {0} | Marked goods are no protective equipment: {0}
17000 412 | Счёт organizationAccount принадлежит другой организации; вместе с organization меняется и он | organizationAccount belongs to another organization; it changes together with organization
17001 412 | Счёт agentAccount принадлежит другому контрагенту; вместе с agent меняется и он | agentAccount belongs to another counterparty; it changes together with agent
17003 412 | Резерв больше количества | The reserve is above the quantity
17007 412 | НДС больше 100 % | VAT above 100 %
17008 412 | Скидка больше 100 % | Discount above 100 %
17018 412 | Количество комплекта должно быть целым | Bundles need whole quantities
17020 412 | Упаковка принадлежит другому товару | The pack belongs to other goods
17021 412 | У позиции с НДС не указана ставка | A taxed line has no VAT rate
17103 412 | Код маркировки или серийный номер повторяется: {0} | A marking code or serial comes twice: {0}
18000 412 | Сумма оплат не равна сумме документа | The payments do not add up to the total
18005 412 | Оплата по QR не сочетается с другими видами оплаты | QR payment excludes the others
18006 412 | Предоплата по QR не сочетается с другими видами оплаты | QR prepayment excludes the others
18007 412 | Аванс не сочетается с предоплатой | An advance excludes prepayments
19000 412 | Смена возврата закрыта | The shift of the return is closed
19001 412 | Для возврата без чека нужны cashSum и noCashSum | A return without a receipt needs cashSum and noCashSum
19002 412 | Суммы возврата не равны сумме документа | The returned sums do not add up to the total
19003 412 | Продажа по QR возвращается только по QR | A sale by QR is returned by QR only
19004 412 | Возврат по QR возможен только для продажи по QR | A QR return needs a QR sale
19005 412 | Сумма возврата на карту больше оплаты картой | More is returned to the card than it paid
28000 412 | Неизвестный тип цены покупателя | Unknown price type of the buyer
29000 412 | В комплекте должно быть от 1 до 50 компонентов | A bundle has 1 to 50 components
29001 412 | Комплект используется в документах, состав изменить нельзя | The bundle is used in documents, its components cannot change
29002 412 | Компонент повторяется | A component is repeated
29003 412 | Недопустимый вид компонента | This kind of goods cannot be a component
30000 412 | Вебхук для типа '{0}' невозможен | A webhook for type '{0}' is not possible
30001 412 | Недопустимый метод вебхука '{0}' | Bad method '{0}' of a webhook
30002 412 | Недопустимое действие вебхука '{0}' | Bad action '{0}' of a webhook
30003 412 | Такой вебхук уже существует | Such a webhook exists already
30004 403 | Вебхуками управляет только администратор | Only an administrator manages webhooks
30005 412 | Неверный адрес вебхука | Bad address of a webhook
30006 403 | Вебхуки доступны только на платном тарифе | Webhooks need a paid plan
30007 412 | Слишком много вебхуков на это событие | Too many webhooks for this event
30008 412 | Действие '{0}' невозможно для типа | Action '{0}' is not offered by the type
30009 412 | diffType возможен только для UPDATE | diffType is for UPDATE only
30010 412 | Адрес вебхука длиннее 255 символов | A webhook's address is longer than 255 characters
43001 412 | Размер фотографии больше 3 МБ | The photo is larger than 3 MB
43002 412 | У фотографии нет имени файла | The photo has no file name
43003 412 | У фотографии нет содержимого | The photo has no content
43006 412 | Неверный ИНН | Bad tax number
51001 412 | Изображений больше 10 | More than 10 images
51002 412 | У изображения нет имени | The image has no name
51003 412 | У изображения нет содержимого | The image has no content
51004 412 | Изображение не может быть прочитано | The image cannot be read
51005 412 | Размер изображения больше 10 МБ | The image is larger than 10 MB
51007 412 | Изображение '{0}' не найдено | Image '{0}' does not exist
55005 403 | Ресурс доступен только пользователю | Only a user may use this resource
60001 412 | Отдел с именем '{1}' уже существует | A department '{1}' exists already
61000 412 | Асинхронное чтение здесь не поддерживается | Asynchronous reading is not supported here
61001 412 | limit и offset недопустимы при асинхронном чтении | limit and offset are refused with async
61002 412 | В очереди больше 4 задач | More than 4 tasks are queued
61003 412 | Результат задачи удалён | The task's result has expired
61004 412 | Задача завершилась с ошибкой | The task failed
61005 412 | Задача отменена | The task was cancelled
61006 412 | Результат ещё не готов | The result is not ready
61007 412 | Задачу в этом состоянии нельзя отменить | The task cannot be cancelled now
61008 404 | Задача не найдена | No such task
63000 412 | namedfilter не сочетается с filter, search и order | namedfilter excludes filter, search and order
63001 412 | Сохранённый фильтр не найден | No such saved filter
72000 412 | Нет счёта в валюте учёта | No bank account in the account currency
`;

function readRows(): ReadonlyMap<number, ErrorText> {
  const rows = ROWS.trim()
    .split("\n")
    .map((row): [number, ErrorText] => {
      const [head = "", ru = "", en = ""] = row.split(" | ");
      const [code, status] = head.split(" ").map(Number);
      return [code ?? 0, { status: status ?? 500, ru, en }];
    });
  return new Map(rows);
}

const TABLE = readRows();

/** Returns the status and the texts of a code. An unknown code is a bug of the sandbox and throws. */
export function errorText(code: number): ErrorText {
  const found = TABLE.get(code);
  if (found === undefined) throw new Error(`error code ${code} is not in the table`);
  return found;
}
