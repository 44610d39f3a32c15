import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.util.JCDiagnostic;
import java.util.ArrayList;
import java.util.List;

/** Changes declarations whose types do not fit where the text uses them. */
final class Fitting {
    private final Findings findings;
    private final Declarations declarations;
    private final Uses uses;

    Fitting(Findings findings) {
        this.findings = findings;
        this.declarations = findings.declarations;
        this.uses = findings.uses;
    }

    boolean refit(JCDiagnostic error) {
        String code = error.getCode().replace("compiler.err.", "");
        JCTree tree = findings.tree(error);
        if (tree == null) {
            return error.getSource() != uses.unit.getSourceFile() && refitDeclared(code, error);
        }
        switch (code) {
            case "prob.found.req":
            case "incomparable.types": {
                Type[] both = types(error);
                return both != null && fit(tree, both[0], both[1]);
            }
            case "cant.apply.symbol":
            case "cant.apply.symbols":
            case "cant.apply.diamond.1":
                return refitCall(tree);
            case "operator.cant.be.applied":
            case "operator.cant.be.applied.1":
                return refitOperands(tree);
            case "unexpected.type":
                return retype(tree, uses.symbols.intType);
            case "cant.deref":
                return tree instanceof JCTree.JCFieldAccess && renew(((JCTree.JCFieldAccess) tree).selected);
            case "void.not.allowed.here":
            case "illegal.initializer.for.type":
            case "illegal.parenthesized.expression":
                return rewant(tree);
            case "array.req.but.found":
                return tree instanceof JCTree.JCArrayAccess && rewant(((JCTree.JCArrayAccess) tree).indexed);
            case "foreach.not.applicable.to.type":
                return iterate(tree) || rewant(tree);
            case "type.doesnt.take.params":
            case "wrong.number.type.args": {
                JCTree apply = tree instanceof JCTree.JCTypeApply ? tree : uses.parent(tree);
                Declarations.Declared type = apply instanceof JCTree.JCTypeApply
                    ? uses.declared(uses.typeOf(((JCTree.JCTypeApply) apply).clazz)) : null;
                int count = type == null ? 0 : ((JCTree.JCTypeApply) apply).arguments.size();
                if (type == null || type.parameters == count) {
                    return type == null && apply instanceof JCTree.JCTypeApply
                        && findings.doubts(uses.typeOf(((JCTree.JCTypeApply) apply).clazz));
                }
                type.parameters = Math.max(count, 1);
                return true;
            }
            case "non-static.cant.be.ref":
                return makeStatic(tree);
            case "abstract.cant.be.instantiated": {
                Declarations.Declared type = uses.declared(symbolType(error));
                if (type == null) {
                    return findings.doubts(symbolType(error));
                }
                type.kind = "class";
                return true;
            }
            case "intf.expected.here":
            case "no.intf.expected.here": {
                Declarations.Declared type = uses.declared(uses.typeOf(tree));
                if (type == null) {
                    return findings.doubts(uses.typeOf(tree));
                }
                String kind = code.equals("intf.expected.here") ? "interface" : "class";
                boolean isNew = !type.kind.equals(kind);
                type.kind = kind;
                return isNew;
            }
            case "method.does.not.override.superclass":
                return override(tree);
            case "not.annotation.type": {
                Declarations.Declared type = uses.declared(uses.typeOf(tree));
                boolean isNew = type != null && !type.kind.equals("@interface");
                if (isNew) {
                    type.kind = "@interface";
                }
                return isNew;
            }
            case "override.meth.doesnt.throw":
            case "override.meth":
            case "override.incompatible.ret":
            case "override.weaker.access":
            case "override.static":
                return align(tree);
            case "does.not.override.abstract":
                return false;
            case "attribute.value.must.be.constant":
            case "const.expr.req":
            case "string.const.req": {
                Declarations.Member member = uses.member(tree);
                if (member == null || member.parameters != null || member.constant > 0) {
                    return false;
                }
                findings.decide(member, List.of(uses.want(tree)));
                declarations.constant(member);
                return true;
            }
            case "ref.ambiguous":
                return disambiguate(error) || settle(tree);
            case "report.access":
            case "not.def.public.cant.access":
                return reachAgain(tree);
            case "not.def.access.class.intf.cant.access":
                return tree instanceof JCTree.JCFieldAccess && findings.doubtsAlong(((JCTree.JCFieldAccess) tree).selected);
            default:
                return false;
        }
    }

    private static Type symbolType(JCDiagnostic error) {
        for (Object argument : error.getArgs()) {
            if (argument instanceof Symbol.ClassSymbol) {
                return ((Symbol.ClassSymbol) argument).type;
            }
        }
        return null;
    }

    /** The type that was found and the one that was asked for. */
    private static Type[] types(JCDiagnostic error) {
        Object[] arguments = error.getArgs();
        if (arguments.length >= 2 && arguments[0] instanceof Type && arguments[1] instanceof Type) {
            return new Type[] {(Type) arguments[0], (Type) arguments[1]};
        }
        for (Object argument : arguments) {
            if (argument instanceof JCDiagnostic) {
                Type[] inner = types((JCDiagnostic) argument);
                if (inner != null) {
                    return inner;
                }
            }
        }
        return null;
    }

    /** Makes an expression of one type fit where another one is asked for. */
    private boolean fit(JCTree tree, Type found, Type wanted) {
        JCTree bare = TreeInfo.skipParens(tree);
        if (bare instanceof JCTree.JCBinary && (bare.getTag() == JCTree.Tag.EQ || bare.getTag() == JCTree.Tag.NE)) {
            JCTree.JCBinary binary = (JCTree.JCBinary) bare;
            return retype(binary.lhs, wanted) || retype(binary.rhs, found) || relate(found, wanted) || relate(wanted, found);
        }
        if (bare instanceof JCTree.JCConditional) {
            JCTree.JCConditional choice = (JCTree.JCConditional) bare;
            return retype(choice.truepart, wanted) | retype(choice.falsepart, wanted);
        }
        if (bare instanceof JCTree.JCBinary) {
            return retype(((JCTree.JCBinary) bare).lhs, wanted) | retype(((JCTree.JCBinary) bare).rhs, wanted);
        }
        Declarations.Declared type = uses.declared(found);
        Declarations.Member member = uses.member(bare);
        if (uses.user(bare) instanceof JCTree.JCEnhancedForLoop) {
            // The element of a loop does not fit its variable.
            return member != null ? rewant(bare) : relate(found, wanted) || findings.doubtsOne(found, wanted);
        }
        Declarations.Declared target = uses.declared(wanted);
        if (type == null && target != null && target.madeUpFor != null && takes(target.madeUpFor, found)) {
            return true;
        }
        boolean isCast = uses.user(bare) instanceof JCTree.JCTypeCast || uses.user(bare) instanceof JCTree.JCInstanceOf;
        boolean isBare = type != null && type.superclass == null && type.kind.equals("class")
            && type.members.values().stream().noneMatch(one -> one.isConstructor() || one.parameters == null);
        if (isCast && isBare && uses.declared(wanted) == null && !wanted.isPrimitive() && !wanted.tsym.isInterface()
            && (wanted.tsym.flags() & Flags.FINAL) == 0) {
            // An interface may be what any class implements that is not final.
            type.kind = "interface";
            return true;
        }
        boolean isUnknown = type == null || type.madeUpFor != null && !findings.isExtensible(wanted);
        if (isCast && member != null && !member.isConstructor() && isUnknown) {
            member.type = "java.lang.Object";
            return ++member.changes < 4;
        }
        if (type != null && type.madeUpFor != null && type.madeUpFor == member && uses.declared(wanted) == null
            && type.members.values().stream().allMatch(one -> uses.hasMember(wanted, one.name))) {
            return retype(bare, wanted);
        }
        return isCast && relate(wanted, found) || relate(found, wanted) || retype(bare, wanted)
            || relateArguments(found, wanted) || findings.doubtsOne(found, wanted);
    }

    /** A value tells the type of what it is given to, where that was made up and the value has all that is used of it. */
    private boolean takes(Declarations.Member member, Type value) {
        String whole = Uses.isKnown(value) ? uses.text(value) : null;
        Declarations.Declared madeUp = declarations.find(member.type);
        if (whole == null || madeUp == null || value.isPrimitive()
            || !madeUp.members.values().stream().allMatch(one -> uses.hasMember(value, one.name))) {
            return false;
        }
        member.type = whole;
        return ++member.changes < 6;
    }

    private boolean relate(Type found, Type wanted) {
        Declarations.Declared type = findings.ownerOfMembers(found);
        return type != null && Uses.isKnown(wanted) && !wanted.isPrimitive() && wanted.getTag() == TypeTag.CLASS
            && !uses.types.isSubtype(uses.types.erasure(found), uses.types.erasure(wanted)) && findings.extend(type, wanted);
    }

    /** Makes what two types are made of fit: the elements of arrays, the arguments of generic types. */
    private boolean relateArguments(Type found, Type wanted) {
        if (!Uses.isKnown(found) || !Uses.isKnown(wanted)) {
            return false;
        }
        if (found.getTag() == TypeTag.ARRAY && wanted.getTag() == TypeTag.ARRAY) {
            return relate(uses.types.elemtype(found), uses.types.elemtype(wanted));
        }
        boolean isChanged = false;
        Type above = found.getTag() == TypeTag.CLASS && wanted.tsym != null ? uses.types.asSuper(found, wanted.tsym) : null;
        if (above != null && above.getTypeArguments().size() == wanted.getTypeArguments().size()) {
            for (int index = 0; index < wanted.getTypeArguments().size(); index++) {
                Type bound = wanted.getTypeArguments().get(index);
                Type argument = above.getTypeArguments().get(index);
                Type upper = bound.getTag() == TypeTag.WILDCARD ? ((Type.WildcardType) bound).type : bound;
                isChanged |= relate(argument, upper) || findings.doubts(upper) || findings.doubts(argument);
            }
        }
        return isChanged;
    }

    /** Gives the member that an expression is about another type. */
    private boolean retype(JCTree tree, Type wanted) {
        JCTree bare = TreeInfo.skipParens(tree);
        String suffix = "";
        while (bare instanceof JCTree.JCArrayAccess) {
            bare = TreeInfo.skipParens(((JCTree.JCArrayAccess) bare).indexed);
            suffix += "[]";
        }
        Declarations.Member member = uses.member(bare);
        if (member == null || member.isConstructor() || member.isFixed || !Uses.isKnown(wanted)) {
            return false;
        }
        String next = uses.text(wanted);
        boolean isSame = next != null && (next + suffix).equals(member.type);
        if (isSame) {
            return false;
        }
        member.changes++;
        if (next == null || member.changes > 4) {
            boolean isNew = !member.isGeneric && member.parameters != null;
            member.isGeneric |= isNew;
            return isNew;
        }
        member.type = next + suffix;
        member.isGuessed = false;
        return true;
    }

    /** Gives the member that an expression is about the type that its place asks for. */
    private boolean rewant(JCTree tree) {
        JCTree bare = TreeInfo.skipParens(tree);
        Declarations.Member member = uses.member(bare);
        if (member == null) {
            return false;
        }
        String old = member.type;
        findings.decide(member, List.of(uses.want(bare)));
        if (member.type.equals("void")) {
            member.type = "java.lang.Object";
        }
        return !member.type.equals(old) && ++member.changes < 6;
    }

    /** Lets a declared type be gone through by a loop. */
    private boolean iterate(JCTree tree) {
        Declarations.Declared type = uses.declared(typeIn(tree));
        Uses.Want want = uses.want(tree);
        if (type == null || want.upper == null) {
            return false;
        }
        String element = Findings.orObject(uses.text(uses.types.boxedTypeOrType(want.upper)));
        return type.interfaces.add("java.lang.Iterable<" + element + ">");
    }

    /** The type of an expression, also where the compiler has found it wrong. */
    private Type typeIn(JCTree tree) {
        Type type = uses.typeOf(tree);
        Symbol symbol = TreeInfo.symbol(TreeInfo.skipParens(tree));
        return Uses.isKnown(type) || symbol == null ? type : symbol.type;
    }

    private boolean renew(JCTree tree) {
        Declarations.Member member = uses.member(tree);
        return member != null && findings.makeUp(member, null);
    }

    private boolean refitCall(JCTree tree) {
        JCTree parent = uses.parent(tree);
        if (tree instanceof JCTree.JCNewClass) {
            JCTree.JCNewClass call = (JCTree.JCNewClass) tree;
            Type site = uses.typeOf(call.clazz);
            return widen(tree, site, "<init>", call.args) || adapt(call.args, uses.constructors(call)) || findings.doubts(site);
        }
        JCTree.JCMethodInvocation call = tree instanceof JCTree.JCMethodInvocation ? (JCTree.JCMethodInvocation) tree
            : parent instanceof JCTree.JCMethodInvocation ? (JCTree.JCMethodInvocation) parent : null;
        if (call == null) {
            return false;
        }
        JCTree method = TreeInfo.skipParens(call.meth);
        String name = method instanceof JCTree.JCFieldAccess ? ((JCTree.JCFieldAccess) method).name.toString()
            : method.toString();
        if (name.equals("super") || name.equals("this")) {
            JCTree.JCClassDecl around = uses.around(call, JCTree.JCClassDecl.class);
            Type above = around == null || around.sym == null ? null : uses.types.supertype(around.sym.type);
            return name.equals("super") && widen(tree, above, "<init>", call.args);
        }
        if (method instanceof JCTree.JCFieldAccess) {
            JCTree selected = ((JCTree.JCFieldAccess) method).selected;
            Type site = uses.typeOf(selected);
            Declarations.Member receiver = uses.member(selected);
            return widen(tree, site, name, call.args) || adapt(call.args, uses.candidates(call))
                || receiver != null && receiver.isGuessed && findings.makeUp(receiver, null) || findings.doubtsAlong(selected);
        }
        // A method of the text with other parameters: the one that is meant is lacking.
        return adapt(call.args, uses.candidates(call)) || widenIn(findings.ownerOfBareName(tree), call, name, call.args);
    }

    boolean widen(JCTree tree, Type site, String name, List<? extends JCTree> arguments) {
        JCTree parent = uses.parent(tree);
        JCTree call = tree instanceof JCTree.JCNewClass || tree instanceof JCTree.JCMethodInvocation ? tree : parent;
        Declarations.Declared owner = name.equals("<init>") ? uses.declared(site) : findings.ownerOfMembers(site);
        return widenIn(owner, call, name, arguments);
    }

    private boolean widenIn(Declarations.Declared owner, JCTree call, String name, List<? extends JCTree> arguments) {
        if (owner == null) {
            return false;
        }
        Declarations.Member known = owner.method(name, arguments.size());
        boolean isNew = known == null || known.isFixed;
        Declarations.Member method = declarations.method(owner, name, arguments.size());
        List<String> old = new ArrayList<>(method.parameters);
        findings.takeArguments(method, arguments);
        if (isNew && !name.equals("<init>")) {
            findings.decide(method, List.of(uses.want(call)));
            method.isStatic = owner.members.values().stream().anyMatch(one -> one.isStatic && one.name.equals(name));
        }
        return isNew || !old.equals(method.parameters) && !method.isFixed;
    }

    /** Makes arguments fit a method of the library. */
    private boolean adapt(List<? extends JCTree> arguments, List<Type> candidates) {
        List<Type> best = null;
        int fewest = Integer.MAX_VALUE;
        for (Type candidate : candidates) {
            List<Type> parameters = uses.parameters(candidate, arguments.size());
            if (parameters == null) {
                continue;
            }
            int changes = 0;
            for (int index = 0; index < arguments.size() && changes < fewest; index++) {
                changes += price(arguments.get(index), parameters.get(index));
            }
            if (changes > 0 && changes < 1000 && changes < fewest) {
                fewest = changes;
                best = parameters;
            }
        }
        boolean isChanged = false;
        for (int index = 0; best != null && index < arguments.size(); index++) {
            Type type = uses.typeOf(arguments.get(index));
            if (Uses.isKnown(type) && !uses.types.isAssignable(type, best.get(index))) {
                isChanged |= adapt(arguments.get(index), type, best.get(index));
            }
        }
        return isChanged;
    }

    /** How far an argument is from a parameter: nothing if it fits, a thousand if it cannot be made to. */
    private int price(JCTree argument, Type parameter) {
        Type type = uses.typeOf(argument);
        if (!Uses.isKnown(type) || uses.types.isAssignable(type, parameter)) {
            return 0;
        }
        Declarations.Declared declared = findings.ownerOfMembers(type);
        boolean isMember = uses.member(argument) != null && !uses.member(argument).isConstructor();
        if (declared != null && (isMember || findings.isExtensible(parameter))) {
            boolean hasAll = uses.declared(type) != null && declared.members.values().stream().allMatch(one -> uses.hasMember(parameter, one.name));
            return hasAll ? 1 : findings.isExtensible(parameter) ? 2 : 5;
        }
        boolean isUsual = uses.types.isSameType(parameter, uses.symbols.stringType)
            || parameter.isPrimitive() && type.isPrimitive();
        return isMember ? isUsual ? 1 : 2 : 1000;
    }

    private boolean adapt(JCTree argument, Type found, Type wanted) {
        Declarations.Declared type = uses.declared(found);
        boolean isReplaced = type != null && type.madeUpFor != null && type.madeUpFor == uses.member(argument)
            && type.members.values().stream().allMatch(one -> uses.hasMember(wanted, one.name));
        return isReplaced && retype(argument, wanted) || relate(found, wanted) || retype(argument, wanted)
            || relateArguments(found, wanted);
    }

    private boolean refitOperands(JCTree tree) {
        boolean isChanged = false;
        List<JCTree> operands = new ArrayList<>();
        if (tree instanceof JCTree.JCBinary) {
            operands.add(((JCTree.JCBinary) tree).lhs);
            operands.add(((JCTree.JCBinary) tree).rhs);
        } else if (tree instanceof JCTree.JCUnary) {
            operands.add(((JCTree.JCUnary) tree).arg);
        } else if (tree instanceof JCTree.JCAssignOp) {
            operands.add(((JCTree.JCAssignOp) tree).lhs);
            operands.add(((JCTree.JCAssignOp) tree).rhs);
        }
        for (JCTree operand : operands) {
            Type type = uses.typeOf(operand);
            boolean isWrong = type != null && (!type.isPrimitive() || tree instanceof JCTree.JCUnary
                || type.getTag() == TypeTag.VOID || type.getTag() == TypeTag.BOOLEAN);
            Uses.Want want = uses.want(operand);
            Type wanted = want.upper;
            if (want.isReference && type != null && type.isPrimitive()) {
                isChanged |= retype(operand, uses.types.boxedClass(type).type);
                continue;
            }
            if (wanted != null && !wanted.isPrimitive() && !uses.types.isSameType(wanted, uses.symbols.stringType)) {
                wanted = uses.symbols.intType;
            }
            isChanged |= isWrong && retype(operand, wanted == null ? uses.symbols.intType : wanted);
        }
        return isChanged;
    }

    private boolean makeStatic(JCTree tree) {
        Declarations.Member member = uses.member(tree);
        JCTree parent = uses.parent(tree);
        if (member == null && tree instanceof JCTree.JCIdent || tree instanceof JCTree.JCFieldAccess && member == null) {
            String name = TreeInfo.name(tree).toString();
            Declarations.Declared owner = tree instanceof JCTree.JCIdent ? findings.ownerOfBareName(tree)
                : findings.ownerOfMembers(uses.typeOf(((JCTree.JCFieldAccess) tree).selected));
            boolean isCall = uses.isCalled(tree);
            member = owner == null ? null
                : isCall ? owner.method(name, ((JCTree.JCMethodInvocation) parent).args.size()) : owner.field(name);
        }
        if (member == null || member.isStatic) {
            return false;
        }
        member.isStatic = true;
        return true;
    }

    /** A method that says that it overrides one: that one is lacking. */
    private boolean override(JCTree tree) {
        JCTree.JCMethodDecl method = tree instanceof JCTree.JCMethodDecl ? (JCTree.JCMethodDecl) tree
            : uses.around(tree, JCTree.JCMethodDecl.class);
        JCTree.JCClassDecl around = method == null ? null : uses.around(method, JCTree.JCClassDecl.class);
        Declarations.Declared owner = around == null || around.sym == null ? null : findings.ownerOfMembers(around.sym.type);
        if (owner == null) {
            if (around != null && around.sym != null) {
                for (Type one : uses.types.closure(around.sym.type)) {
                    if (findings.doubts(one)) {
                        return true;
                    }
                }
            }
            return false;
        }
        return copy(declarations.overridden(owner, method.name.toString(), method.params.size()), method);
    }

    /** Gives a declared method the head of a method of the text that overrides it. */
    private boolean copy(Declarations.Member member, JCTree.JCMethodDecl method) {
        String old = head(member);
        member.parameters.clear();
        for (JCTree.JCVariableDecl parameter : method.params) {
            Type type = parameter.vartype.type;
            boolean isWritten = uses.text(type) != null;
            member.parameters.add(Findings.orObject(uses.text(isWritten ? type : uses.types.erasure(type))));
        }
        Type result = method.restype == null ? null : method.restype.type;
        member.isGeneric = false;
        member.type = result != null && result.getTag() == TypeTag.VOID ? "void" : Findings.orObject(uses.text(result));
        boolean isPublic = (method.mods.flags & Flags.PUBLIC) != 0 || member.owner.kind.equals("interface");
        member.access = isPublic ? "public" : (method.mods.flags & Flags.PROTECTED) != 0 ? "protected" : "";
        member.isStatic = (method.mods.flags & Flags.STATIC) != 0;
        member.isFixed = true;
        for (JCTree.JCExpression thrown : method.thrown) {
            String type = uses.text(thrown.type);
            if (type != null) {
                member.thrown.add(type);
            }
        }
        return !old.equals(head(member));
    }

    private static String head(Declarations.Member member) {
        return member.parameters + member.type + member.access + member.isStatic + member.thrown + member.isGeneric;
    }

    private boolean align(JCTree tree) {
        JCTree.JCMethodDecl method = tree instanceof JCTree.JCMethodDecl ? (JCTree.JCMethodDecl) tree
            : uses.around(tree, JCTree.JCMethodDecl.class);
        JCTree.JCClassDecl around = method == null ? null : uses.around(method, JCTree.JCClassDecl.class);
        if (around == null || around.sym == null) {
            return false;
        }
        for (Type one : uses.types.closure(around.sym.type)) {
            Declarations.Declared owner = uses.declared(one);
            Declarations.Member member = owner == null ? null : owner.method(method.name.toString(), method.params.size());
            if (member != null) {
                return copy(member, method);
            }
        }
        return false;
    }

    /** Two star imports have a class of this name. */
    private boolean disambiguate(JCDiagnostic error) {
        for (Object argument : error.getArgs()) {
            if (argument instanceof Symbol.ClassSymbol && findings.isFragment) {
                String name = ((Symbol.ClassSymbol) argument).name.toString();
                String whole = Findings.library().find(name);
                return whole != null && !findings.notOfLibrary.contains(name) && findings.imports.add(whole);
            }
        }
        return false;
    }

    /** Arguments that may be anything fit more than one method. */
    private boolean settle(JCTree tree) {
        JCTree parent = uses.parent(tree);
        List<JCTree.JCExpression> arguments = tree instanceof JCTree.JCNewClass ? ((JCTree.JCNewClass) tree).args
            : parent instanceof JCTree.JCMethodInvocation ? ((JCTree.JCMethodInvocation) parent).args : List.of();
        boolean isChanged = false;
        for (JCTree argument : arguments) {
            Declarations.Member member = uses.member(argument);
            if (member != null && member.isGeneric) {
                member.isGeneric = false;
                member.type = "java.lang.String";
                isChanged = true;
            }
        }
        return isChanged;
    }

    /** A member that is there, but not for this text: a declared type gets one of its own. */
    private boolean reachAgain(JCTree tree) {
        if (tree instanceof JCTree.JCNewClass) {
            JCTree.JCNewClass call = (JCTree.JCNewClass) tree;
            return widen(tree, uses.typeOf(call.clazz), "<init>", call.args);
        }
        if (!(tree instanceof JCTree.JCFieldAccess)) {
            return false;
        }
        JCTree.JCFieldAccess access = (JCTree.JCFieldAccess) tree;
        Declarations.Declared owner = uses.declared(uses.typeOf(access.selected));
        JCTree parent = uses.parent(tree);
        if (owner == null) {
            Declarations.Member receiver = uses.member(access.selected);
            boolean isGuessed = receiver != null && receiver.isGuessed;
            return isGuessed ? findings.makeUp(receiver, null) : findings.doubtsAlong(access.selected);
        }
        boolean isCall = uses.isCalled(tree);
        if (!isCall || owner.method(access.name.toString(), ((JCTree.JCMethodInvocation) parent).args.size()) != null) {
            return false;
        }
        List<JCTree.JCExpression> arguments = ((JCTree.JCMethodInvocation) parent).args;
        Declarations.Member method = declarations.method(owner, access.name.toString(), arguments.size());
        findings.takeArguments(method, arguments);
        findings.decide(method, List.of(uses.want(parent)));
        if (method.name.equals("clone") && method.type.equals("void")) {
            method.type = "java.lang.Object";
        }
        return true;
    }

    /** What is wrong with the declarations themselves: a class that does not do all that its interfaces ask for. */
    private boolean refitDeclared(String code, JCDiagnostic error) {
        Type type = symbolType(error);
        Declarations.Declared owner = uses.declared(type);
        if (code.equals("does.not.override.abstract") && owner != null) {
            for (Object argument : error.getArgs()) {
                if (argument instanceof Symbol.MethodSymbol) {
                    return implement(owner, type, (Symbol.MethodSymbol) argument);
                }
            }
        }
        for (Declarations.Declared one : findings.mayDoubt ? declarations.types.values() : List.<Declarations.Declared>of()) {
            // A class of the library that cannot be extended like this is not the one that is meant.
            if (one.superclass != null && findings.imports.remove(one.superclass)) {
                findings.notOfLibrary.add(one.superclass.substring(one.superclass.lastIndexOf('.') + 1));
                findings.isRestarted = true;
                return true;
            }
        }
        return false;
    }

    private boolean implement(Declarations.Declared owner, Type type, Symbol.MethodSymbol method) {
        // The parameters of an interface without arguments of its own are those of its erasure.
        Type erased = uses.types.memberType(type, method);
        Declarations.Member member = declarations.method(owner, method.name.toString(), method.params().size());
        if (member.isFixed) {
            return false;
        }
        member.parameters.clear();
        for (Type parameter : erased.getParameterTypes()) {
            member.parameters.add(Findings.orObject(uses.text(uses.types.erasure(parameter))));
        }
        Type result = erased.getReturnType();
        member.type = result.getTag() == TypeTag.VOID ? "void" : Findings.orObject(uses.text(result));
        member.access = "public";
        member.isStatic = false;
        member.isFixed = true;
        return true;
    }

}
