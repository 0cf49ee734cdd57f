//! Customers and agents of a web shop in several languages.

/// A language of customers.
pub(super) struct Tongue {
    /// What customers open with or ask next.
    pub(super) asks: &'static [&'static str],
    /// What they answer in between.
    pub(super) follows: &'static [&'static str],
    /// What the agent answers.
    pub(super) answers: &'static [&'static str],
}

pub(super) const PRODUCTS: &[&str] = &[
    "Rondane 2 tent",
    "Skarv rain jacket",
    "Vidda sleeping bag −10 °C",
    "Lofoten headlamp 400 lm",
    "Jotun stove",
    "Femund paddle 220 cm",
    "Dovre boots",
    "Hardanger wool sweater",
    "Sarek backpack 55 l",
    "Nordkapp gloves",
    "Saltfjell poles (pair)",
    "Finse snowshoes",
    "Trysil ski wax set",
    "Senja dry bag 20 l",
    "Rago climbing rope 60 m",
    "Gaula fishing rod",
    "Børgefjell thermos 1 l",
    "Voss water filter",
    "Stetind harness",
    "Røros blanket",
];

pub(super) const COLOURS: &[&str] =
    &["lichen", "midnight blue", "anthracite", "rust", "birch", "glacier", "moss", "cloudberry"];

pub(super) const CARRIERS: &[&str] = &["PostNordic", "Fjordfrakt", "Alpin Express", "Lagun Cargo"];

pub(super) const TONGUES: [Tongue; 6] = [
    Tongue {
        asks: &[
            "Hi! Where is my order «order»? It should have been here on «date». My e-mail is «mail».",
            "Hello, I received the «product» in «colour» but I ordered it in «colour». Order «order», e-mail «mail». What now?",
            "I want to return the «product». It was delivered to «city» on «date» and never used.",
            "Can you change the delivery address of «order» to Storgata «nn», «city»? I am «customer», «mail».",
            "The «product» arrived with a torn seam. I have photos. I'd like a refund of the «eur» EUR I paid, not a repair.",
            "Is the «product» back in stock in «colour»? And does it fit together with the «product» I bought last year?",
            "Your site says returns take 14 days, the e-mail says 30. Which is it for order «order»?",
            "This is the third time I write about parcel «parcel». Please let me talk to a human.",
            "My voucher «noun»-«hex7» was refused at checkout although it is valid until «date».",
        ],
        follows: &[
            "Thanks. And what about the «product» in the same order?",
            "OK, that works for me. How long will it take to «city»?",
            "No, that is not what I asked. I need it before «date».",
            "Yes please, go ahead.",
            "Sorry, I mistyped: the e-mail is «mail», the order «order».",
            "Hmm, the tracking page still says \"«carrier»: sorted in «city»\". Are you sure?",
            "Could you send the label again? I deleted the mail by accident.",
            "The amount does not match: I was charged «eur» EUR and the invoice says «eur» EUR.",
        ],
        answers: &[
            "Thank you, «customer». Your order «order» left Trondheim on «date» with «carrier» and was last scanned in «city». I expect it on «date».",
            "I have opened the return for the «product» and sent the label to «mail». The refund of «eur» EUR follows once the parcel is back.",
            "I'm sorry about that. The «product» should not arrive in this state; I can send a new one today or refund «eur» EUR. What do you prefer?",
            "The address cannot be changed any more because the parcel is already with «carrier». You can redirect it yourself with the number «parcel».",
            "The «product» is available in «colour» and «colour». We expect more on «date».",
            "Rule «rule» of our terms applies here: unused items can be returned within 60 days of delivery, so you have time until «date».",
            "I have passed this on to a colleague who may decide about amounts above 150 EUR. You will hear from us at «mail» by «date».",
            "I could not find an order with this number and e-mail address. Could you check both, please?",
        ],
    },
    Tongue {
        asks: &[
            "Guten Tag, wo bleibt meine Bestellung «order»? Sie sollte am «date» in «city» sein. Meine E-Mail: «mail»",
            "Hallo, das «product» ist in der falschen Größe gekommen. Kann ich es gegen die nächstgrößere tauschen?",
            "Ich möchte die Bestellung «order» stornieren, solange sie noch nicht verschickt ist. Mit freundlichen Grüßen, «customer»",
            "Auf der Rechnung stehen «eur» EUR, abgebucht wurden aber «eur» EUR. Können Sie das bitte prüfen?",
        ],
        follows: &[
            "Ja, bitte genau so machen. Wie lange dauert das ungefähr?",
            "Das verstehe ich nicht ganz: Muss ich die Rücksendung selbst bezahlen?",
            "Danke! Und könnten Sie noch nach dem «product» schauen?",
            "Nein, die Nummer ist «order», ich hatte mich vertippt.",
        ],
        answers: &[
            "Vielen Dank, «customer». Ihre Bestellung «order» wurde am «date» an «carrier» übergeben und zuletzt in «city» gescannt.",
            "Ich habe die Rücksendung angelegt und das Etikett an «mail» geschickt. Die Erstattung über «eur» EUR folgt nach Eingang.",
            "Das tut mir leid. Beschädigte Ware ersetzen wir kostenlos; das neue «product» geht noch heute hinaus.",
            "Nach Regel «rule» können unbenutzte Artikel bis zu 60 Tage nach der Lieferung zurückgegeben werden, also bis zum «date».",
        ],
    },
    Tongue {
        asks: &[
            "Bonjour, je n'ai toujours pas reçu ma commande «order», prévue le «date». Mon adresse e-mail est «mail».",
            "J'ai reçu le «product» abîmé : la fermeture éclair est cassée. Que proposez-vous ?",
            "Est-ce que le «product» existe aussi en «colour» ? Et livrez-vous à «city» avant le «date» ?",
        ],
        follows: &[
            "Très bien, merci. Et pour le remboursement de «eur» EUR, combien de temps faut-il compter ?",
            "Non, ce n'est pas la bonne adresse, j'ai déménagé à «city» cet été.",
            "D'accord, allez-y.",
        ],
        answers: &[
            "Merci, «customer». Votre commande «order» est partie le «date» avec «carrier» ; le dernier passage enregistré est à «city».",
            "J'ai créé le retour et envoyé l'étiquette à «mail». Le remboursement de «eur» EUR sera effectué dès réception du colis.",
            "Je suis désolée pour ce désagrément. Nous pouvons vous renvoyer le «product» ou vous rembourser, comme vous préférez.",
        ],
    },
    Tongue {
        asks: &[
            "Hola, ¿dónde está mi pedido «order»? Tenía que llegar a «city» el «date». Mi correo es «mail».",
            "El «product» que recibí no es el que pedí. ¿Puedo devolverlo sin pagar el envío?",
            "¿Me podrían cambiar la dirección de entrega? El pedido es el «order», a nombre de «customer».",
        ],
        follows: &[
            "Perfecto, muchas gracias. ¿Y cuándo me devuelven los «eur» EUR?",
            "No, eso no me sirve: lo necesito antes del «date».",
            "Sí, adelante, por favor.",
        ],
        answers: &[
            "Gracias, «customer». El pedido «order» salió el «date» con «carrier» y el último escaneo fue en «city».",
            "He abierto la devolución del «product» y he enviado la etiqueta a «mail». El reembolso será de «eur» EUR.",
            "Lo siento mucho. Según la regla «rule», el envío de vuelta es gratuito cuando el error es nuestro.",
        ],
    },
    Tongue {
        asks: &[
            "こんにちは。注文番号«order»の荷物がまだ届いていません。«date»に到着予定でした。メールは«mail»です。",
            "届いた「«product»」のサイズが合いません。交換できますか。返品の送料はかかりますか。",
            "領収書の金額が«eur»ユーロになっていますが、引き落としは«eur»ユーロでした。確認をお願いします。",
        ],
        follows: &[
            "ありがとうございます。いつごろ«city»に届きますか。",
            "いいえ、色は«colour»でお願いします。",
            "はい、それで進めてください。",
        ],
        answers: &[
            "お問い合わせありがとうございます。ご注文«order»は«date»に«carrier»へ引き渡され、最後の記録は«city»です。",
            "返品の手続きを開始し、ラベルを«mail»にお送りしました。到着確認後に«eur»ユーロを返金いたします。",
            "ご不便をおかけして申し訳ございません。未使用の商品は到着から60日以内であれば返品できます。",
        ],
    },
    Tongue {
        asks: &[
            "你好，我的订单«order»还没有到«city»，原定«date»送达。我的邮箱是«mail»。",
            "收到的“«product»”有破损，我想退款«eur»欧元，不想换货。",
            "请问«product»的«colour»色还有货吗？大概什么时候能发货？",
        ],
        follows: &[
            "好的，谢谢。退款需要多长时间？",
            "不对，订单号应该是«order»，刚才打错了。",
            "可以，请帮我处理。",
        ],
        answers: &[
            "感谢您的耐心等待。订单«order»已于«date»交给«carrier»，最近一次扫描地点是«city»。",
            "退货申请已经提交，标签已发送到«mail»。收到包裹后我们会退还«eur»欧元。",
            "非常抱歉给您带来不便。根据第«rule»条规定，我方责任的退货运费由我们承担。",
        ],
    },
];
