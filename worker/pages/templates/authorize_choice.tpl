<h1>{{_}}Which account should <bdi>{{CLIENT}}</bdi> get access to?{{/_}}</h1>
{{#NOTHING_CHOSEN}}<p class="problem" id="problem" role="alert" tabindex="-1" autofocus><a href="#accounts">{{_}}Choose one of the accounts.{{/_}}</a></p>
{{/NOTHING_CHOSEN}}<form method="post" action="{{@AUTHORIZE}}">
<input type="hidden" name="transaction" value="{{TRANSACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<fieldset id="accounts" tabindex="-1"{{#NOTHING_CHOSEN}} aria-describedby="problem"{{/NOTHING_CHOSEN}}><legend>{{_}}Account{{/_}}</legend>
{{#ACCOUNT}}<label class="choice"><input type="radio" name="account" value="{{ID}}"{{#CHECKED}} checked{{/CHECKED}}{{#BARRED}} disabled{{/BARRED}}> <span><bdi>{{NAME}}</bdi>{{#BARRIER}}<br><span class="meta">{{WHY}}</span>{{/BARRIER}}</span></label>
{{/ACCOUNT}}</fieldset>
<p class="answers"><button class="primary" name="answer" value="choose">{{_}}Continue{{/_}}</button>
<button name="answer" value="deny">{{_}}Deny{{/_}}</button></p>
</form>
<p class="meta">{{_}}The next page shows the access that it requests.{{/_}}</p>
{{>SIGNED_IN}}
